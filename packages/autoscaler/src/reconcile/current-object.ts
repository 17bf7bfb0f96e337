// Reads the current object, mode and state of a key from the caches.
import type { Clock } from "@plimsoll/component-base";
import { type ManageHpas, type Ownership, ownershipOf } from "../objects/ownership.ts";
import type { ScalingObject } from "../objects/scaling-object.ts";
import type { ScheduleEvaluator } from "../schedules/schedule-evaluator.ts";
import { isOver } from "./conflicts/foreign-writer.ts";
import { followClock } from "./remember/clock-jump.ts";
import type { ObjectState, States } from "./remember/state.ts";

/** One object at this moment: what evaluations, and every write, go by. */
export interface CurrentObject {
  /** The newer of what the watch shows and what we wrote. */
  readonly stored: ScalingObject;
  /** The same with the bounds of its schedules, and with the status that was decided last. */
  readonly object: ScalingObject;
  readonly mode: Ownership;
  readonly state: ObjectState;
  /** Its annotation took it back from another controller, which is not saved yet. */
  readonly isReclaimed: boolean;
}

export interface CurrentDeps {
  readonly watched: (key: string) => ScalingObject | undefined;
  /** See `MutationCache`. */
  readonly newest: (key: string, watched: ScalingObject) => ScalingObject;
  readonly owns: (key: string) => boolean;
  readonly states: Pick<States, "of">;
  readonly schedules: Pick<ScheduleEvaluator, "withSchedules" | "isPending">;
  readonly manageHpas: ManageHpas;
  readonly clock: Clock;
}

/** Undefined for an object that is gone, that another process owns, or whose schedules are unknown yet. */
export type ReadCurrent = (key: string) => CurrentObject | undefined;

export function createReadCurrent(deps: CurrentDeps): ReadCurrent {
  return (key) => {
    const watched = deps.watched(key);
    if (watched === undefined || !deps.owns(key)) return undefined;
    const stored = deps.newest(key, watched);
    if (deps.schedules.isPending(stored)) return undefined;
    const saved = deps.states.of(key, stored);
    const state = recall(saved, stored, deps.clock);
    const scheduled = deps.schedules.withSchedules(stored);
    const mode = modeOf(scheduled, state, deps);
    const { pendingStatus } = state;
    // A status from the time when we managed an HPA is not to be written any more.
    const isPending =
      pendingStatus !== undefined && (mode === "active" || stored.kind === "WorkloadAutoscaler");
    const object = isPending ? { ...scheduled, status: pendingStatus } : scheduled;
    const isReclaimed = saved.yielded !== undefined && state.yielded === undefined;
    return { stored, object, mode, state, isReclaimed };
  };
}

/** Who manages the object: an object that was yielded is only watched. */
export function modeOf(
  object: ScalingObject,
  { yielded }: Pick<ObjectState, "yielded">,
  { manageHpas, clock }: Pick<CurrentDeps, "manageHpas" | "clock">,
): Ownership {
  return yielded === undefined ? ownershipOf(object, manageHpas, clock.nowMs()) : "shadow";
}

/** The state as it counts now. */
export function recall(state: ObjectState, object: ScalingObject, clock: Clock): ObjectState {
  const now = followClock(state, clock);
  const { lastWritten, yielded } = now;
  if (yielded === undefined || !isOver({ lastWritten, yielded }, object, clock.nowMs())) return now;
  const former = { ...yielded, seen: undefined };
  const none = { yielded: undefined, former, contest: undefined, lastScale: undefined };
  // A status that was decided before the other controller came is older than what it wrote. What it writes from now on is
  // new, also when we have had nothing to write since.
  return { ...now, ...none, lastWritten: object, pendingStatus: undefined };
}
