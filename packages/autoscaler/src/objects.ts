import type { Change } from "@plimsoll/kube";
import { type NativeHpa, splitKey, wlaPrefix } from "./hpa/native-hpa.ts";
import type { Watch } from "./watch.ts";

/** All objects that are evaluated, of either kind, by their keys. */
export interface Objects {
  get(key: string): NativeHpa | undefined;
  list(): readonly NativeHpa[];
  subscribe(listener: (change: Change<NativeHpa>) => void): void;
}

export function joinObjects(hpas: Watch<NativeHpa>, wlas: Watch<NativeHpa>): Objects {
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
