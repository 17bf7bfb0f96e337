// An index of the HPAs whose bounds are moved, by the WorkloadAutoscaler that moves them.
import type { KeyedEntries } from "@plimsoll/component-base";
import { namespaceOf, type ScalingObject } from "../../objects/scaling-object.ts";
import { boundsOf } from "./live-hpa.ts";
import { createNameSets } from "./name-sets.ts";

/** HPAs whose bounds are moved, by the WorkloadAutoscaler that their annotation names. It is read once per change. */
export interface MovedHpas extends KeyedEntries {
  /** The HPA as it is now; undefined when it is gone. */
  put(key: string, hpa: ScalingObject | undefined): void;
  /** Keys of the HPAs that a WorkloadAutoscaler moves. */
  by(wla: ScalingObject): readonly string[];
}

export function createMovedHpas(): MovedHpas {
  /** By HPA, "namespace/name" of the WorkloadAutoscaler; without a name where the annotation cannot be read. */
  const moverOf = new Map<string, string>();
  const byMover = createNameSets();
  return {
    put(key, hpa) {
      const state = hpa === undefined ? undefined : boundsOf(hpa);
      const mover =
        hpa === undefined || state?.hasAnnotation !== true
          ? undefined
          : `${namespaceOf(hpa)}/${state.saved?.by ?? ""}`;
      const before = moverOf.get(key);
      if (before === mover) return;
      if (before !== undefined) byMover.set(before, key, false);
      if (mover === undefined) moverOf.delete(key);
      else {
        moverOf.set(key, mover);
        byMover.set(mover, key, true);
      }
    },
    by: (wla) => byMover.of(`${namespaceOf(wla)}/${wla.metadata.name}`),
    get size() {
      return moverOf.size;
    },
    keys: () => moverOf.keys(),
  };
}
