// The fence of all writes: lease, object identity, generation and mode.
import { isDeepStrictEqual } from "node:util";
import { isSameSpec } from "../../objects/scaling-object.ts";
import { foreignStatus } from "../conflicts/foreign-writer.ts";
import type { ReadCurrent } from "../current-object.ts";
import type { Plan } from "../evaluate/plan.ts";

/**
 * Whether a plan may still be written. "lost": the object is gone, or another process's. "changed": it was edited, is
 * managed by another controller or in another mode since the plan was made, so the next evaluation decides.
 */
export type PermitResult = "granted" | "lost" | "changed";

/** The only fence: checked before each write, also by a write that waited in the queue. */
export interface Permit {
  check(): PermitResult;
}

export function createPermit(plan: Plan, readCurrent: ReadCurrent): Permit {
  const { object, stored, state } = plan.observation;
  // A write that waits in the queue keeps what is named here, and not the whole plan.
  const { key, term, uid } = state;
  const { spec } = object;
  const isActive = plan.mode === "active";
  // That a foreign writer was found is remembered after the plan was carried out.
  const mode = plan.conflict.foreign === undefined ? plan.mode : "active";
  return {
    check() {
      const now = readCurrent(key);
      if (now === undefined || now.state.term !== term || now.state.uid !== uid) return "lost";
      if (now.mode !== mode || !isSameSpec(now.stored, stored)) return "changed";
      // Schedules may have moved the bounds.
      if (now.object.spec !== spec && !isDeepStrictEqual(now.object.spec, spec)) return "changed";
      // As late as possible: our write would hide who wrote before.
      if (isActive && foreignStatus(now.stored, now.state) !== undefined) return "changed";
      return "granted";
    },
  };
}
