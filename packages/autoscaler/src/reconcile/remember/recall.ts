// The saved state as the next evaluation uses it: shifted when the clock was set, not yielded after a reclaim.
import type { Clock } from "@plimsoll/component-base";
import { reclaimOf } from "../../objects/ownership.ts";
import type { ScalingObject } from "../../objects/scaling-object.ts";
import { followClock } from "./clock-jump.ts";
import type { ObjectState } from "./state.ts";

/** The state as it counts now: an object that was yielded is ours again when its annotation changed since. */
export function recall(state: ObjectState, object: ScalingObject, clock: Clock): ObjectState {
  const now = followClock(state, clock);
  if (now.yielded === undefined || now.yielded.reclaim === reclaimOf(object)) return now;
  return { ...now, yielded: undefined, disputes: [], lastWritten: undefined, lastScale: undefined };
}
