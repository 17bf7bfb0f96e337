// Computes when schedules change the bounds of an object, for `plimsoll schedule preview`.
import { movedBounds } from "@plimsoll/calendars";
import type { ReplicaBounds, ScheduleState } from "@plimsoll/core";
import {
  boundsWith,
  type ScheduleTransition,
  scheduleState,
  transitionsWithin,
} from "@plimsoll/core/schedules";
import type { ScheduledObject } from "./read.ts";

/** What the schedules of one object do within a stretch of time. */
export interface Preview {
  readonly object: ScheduledObject;
  /** At the beginning. */
  readonly state: ScheduleState;
  readonly transitions: readonly ScheduleTransition[];
  /** There may be more of them, from `reachedMs` on. */
  readonly isCut: boolean;
  readonly reachedMs: number;
}

const maxTransitions = 5000;

export function previewOf(object: ScheduledObject, fromMs: number, toMs: number): Preview {
  const { schedules } = object;
  const state = scheduleState(schedules, fromMs);
  const range = { fromMs, toMs, count: maxTransitions };
  const { transitions, reachedMs } = transitionsWithin(schedules, range);
  return { object, state, transitions, reachedMs, isCut: reachedMs < toMs };
}

/** The limits that count in a state. */
export function limitsIn({ object }: Preview, state: ScheduleState): ReplicaBounds {
  const { bounds, hpa } = object;
  return hpa === undefined ? boundsWith(bounds, state) : movedBounds(bounds, { outer: hpa.outer, state });
}
