// The fence of all writes: lease, object identity, generation and mode.
import { isDeepStrictEqual } from "node:util";
import { storedSpecOf } from "../../objects/scaling-object.ts";
import { isForeignStatus } from "../conflicts/foreign-writer.ts";
import type { CurrentObject, ReadCurrent } from "../current-object.ts";
import type { Plan } from "../evaluate/plan.ts";

/**
 * Whether a plan may still be written. "lost": the object is gone, or another process's. "changed": it was edited, is
 * managed by another controller or in another mode since the plan was made, so the next evaluation decides.
 */
export type PermitResult = "granted" | "lost" | "changed";

/**
 * The only fence: checked before each write, also by a write that waited in the queue. After too many edits in a row the
 * last pass is written whatever is edited, as upstream does: an object that is edited all the time is scaled as well.
 */
export interface Permit {
  check(): PermitResult;
}

/** Whether this evaluation found the controller that the object is left to. */
function isFound({ conflict, observation }: Plan): boolean {
  return conflict.yielded !== undefined && observation.state.yielded === undefined;
}

export function createPermit(plan: Plan, readCurrent: ReadCurrent): Permit {
  const { object, stored, state, isLastPass } = plan.observation;
  const { suspect } = plan.conflict;
  // A write that waits in the queue keeps what is named here, and neither the plan nor the object.
  const { key, term, uid } = state;
  const { spec } = object;
  const storedSpec = storedSpecOf(stored);
  const isActive = plan.mode === "active";
  // That another controller was found is remembered after the plan was carried out.
  const mode = isFound(plan) ? "active" : plan.mode;
  const isEdited = (now: CurrentObject): boolean =>
    !isDeepStrictEqual(storedSpecOf(now.stored), storedSpec) ||
    // Schedules may have moved the bounds.
    !isDeepStrictEqual(now.object.spec, spec);
  return {
    check() {
      const now = readCurrent(key);
      if (now === undefined || now.state.term !== term || now.state.uid !== uid) return "lost";
      if (now.mode !== mode || (!isLastPass && isEdited(now))) return "changed";
      // As late as possible: our write would hide who wrote before.
      if (isActive && isForeignStatus(now.stored, { ...now.state, suspect })) return "changed";
      return "granted";
    },
  };
}
