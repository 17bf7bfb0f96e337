// Joins HPAs and WorkloadAutoscalers into one list of objects to evaluate.
import type { KeyedEntries } from "@plimsoll/component-base";
import type { Change } from "@plimsoll/kube";
import { keyOf, type ScalingObject } from "../objects/scaling-object.ts";
import type { Watch } from "./watch.ts";

/** All objects that are evaluated, of either kind, by their keys. */
export interface Objects {
  get(key: string): ScalingObject | undefined;
  list(): readonly ScalingObject[];
  subscribe(listener: (change: Change<ScalingObject>) => void): void;
  readonly entries: KeyedEntries;
}

export function joinObjects(hpas: Watch<ScalingObject>, wlas: Watch<ScalingObject>): Objects {
  /** One lookup: an evaluation reads its object several times. */
  const byKey = new Map<string, ScalingObject>();
  for (const { subscribe } of [hpas, wlas]) {
    subscribe(({ type, object }) => {
      if (type === "deleted") byKey.delete(keyOf(object));
      else byKey.set(keyOf(object), object);
    });
  }
  return {
    get: (key) => byKey.get(key),
    list: () => [...hpas.list(), ...wlas.list()],
    entries: byKey,
    subscribe(listener) {
      hpas.subscribe(listener);
      wlas.subscribe(listener);
    },
  };
}
