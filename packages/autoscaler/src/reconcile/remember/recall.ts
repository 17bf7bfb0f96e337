// The saved state as the next evaluation uses it: shifted when the clock was set, ours again when the other writer ended.
import type { Clock } from "@plimsoll/component-base";
import type { ScalingObject } from "../../objects/scaling-object.ts";
import { isOver } from "../conflicts/foreign-writer.ts";
import { followClock } from "./clock-jump.ts";
import type { ObjectState } from "./state.ts";

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
