import { movedBounds } from "@plimsoll/autoscaler/schedules";
import {
  boundsWith,
  type ReplicaBounds,
  type ScheduleState,
  type ScheduleTransition,
  scheduleState,
  upcomingTransitions,
} from "@plimsoll/core";
import type { ScheduledObject } from "./read.ts";

/** What the schedules of one object do within a stretch of time. */
export interface Preview {
  readonly object: ScheduledObject;
  /** At the beginning. */
  readonly state: ScheduleState;
  readonly transitions: readonly ScheduleTransition[];
  /** There are more of them than anybody reads. */
  readonly isCut: boolean;
}

const mostTransitions = 5000;

export function previewOf(object: ScheduledObject, fromMs: number, toMs: number): Preview {
  const { schedules } = object;
  const state = scheduleState(schedules, fromMs);
  const transitions: ScheduleTransition[] = [];
  for (let atMs = fromMs; transitions.length < mostTransitions; ) {
    const [next] = upcomingTransitions(schedules, atMs, 1);
    if (next === undefined || next.atMs >= toMs) return { object, state, transitions, isCut: false };
    transitions.push(next);
    atMs = next.atMs;
  }
  return { object, state, transitions, isCut: true };
}

/** The limits that count in a state. */
export function limitsIn({ object }: Preview, state: ScheduleState): ReplicaBounds {
  const { bounds, hpa } = object;
  return hpa === undefined ? boundsWith(bounds, state) : movedBounds(bounds, { outer: hpa.outer, state });
}
