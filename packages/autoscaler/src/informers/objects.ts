// Joins HPAs and WorkloadAutoscalers into one list of objects to evaluate.
import type { KeyedEntries } from "@plimsoll/component-base";
import type { Change } from "@plimsoll/kube";
import { isBoundsWla, keyOf, type ScalingObject } from "../objects/scaling-object.ts";
import type { Watch } from "./watch.ts";

/** All objects that are evaluated, of either kind, by their keys. */
export interface Objects {
  get(key: string): ScalingObject | undefined;
  list(): readonly ScalingObject[];
  subscribe(listener: (change: Change<ScalingObject>) => void): void;
  readonly entries: KeyedEntries;
}

type ObjectWatch = Pick<Watch<ScalingObject>, "list" | "subscribe">;

/** WorkloadAutoscalers that move the bounds of HPAs are left out. */
export function joinObjects(hpas: ObjectWatch, allWlas: ObjectWatch): Objects {
  const wlas = withoutBoundsWlas(allWlas);
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

/** One that begins to move bounds counts as deleted. */
function withoutBoundsWlas(wlas: ObjectWatch): ObjectWatch {
  const isOther = (object: ScalingObject) => !isBoundsWla(object);
  return {
    list: (namespace) => wlas.list(namespace).filter(isOther),
    subscribe(listener) {
      wlas.subscribe((change) => {
        const seen = seenWithout(change);
        if (seen !== undefined) listener(seen);
      });
    },
  };

  function seenWithout({ type, object, previous }: Change<ScalingObject>): Change<ScalingObject> | undefined {
    const was = previous !== undefined && isOther(previous);
    if (type === "deleted") return isOther(object) || was ? { type, object } : undefined;
    if (!isOther(object)) return was ? { type: "deleted", object: previous } : undefined;
    return was ? { type, object, previous } : { type: "added", object };
  }
}
