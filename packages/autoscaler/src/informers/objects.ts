// Joins HPAs and WorkloadAutoscalers into one list of objects to evaluate.
import type { Change } from "@plimsoll/kube";
import { type ScalingObject, splitKey, wlaPrefix } from "../objects/scaling-object.ts";
import type { Watch } from "./watch.ts";

/** All objects that are evaluated, of either kind, by their keys. */
export interface Objects {
  get(key: string): ScalingObject | undefined;
  list(): readonly ScalingObject[];
  subscribe(listener: (change: Change<ScalingObject>) => void): void;
}

export function joinObjects(hpas: Watch<ScalingObject>, wlas: Watch<ScalingObject>): Objects {
  return {
    get(key) {
      const { namespace, name } = splitKey(key);
      return name.startsWith(wlaPrefix)
        ? wlas.get(namespace, name.slice(wlaPrefix.length))
        : hpas.get(namespace, name);
    },
    list: () => [...hpas.list(), ...wlas.list()],
    subscribe(listener) {
      hpas.subscribe(listener);
      wlas.subscribe(listener);
    },
  };
}
