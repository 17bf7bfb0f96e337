// What a WorkloadAutoscaler has beyond an HPA.

import type { FailurePolicy, ScheduledBounds, ScheduleProblem } from "@plimsoll/core";
import type { Problem } from "@plimsoll/core/api";
import type { ScheduleSpec } from "@plimsoll/core/schedules";

export type WlaMode = "Active" | "Shadow" | "Paused";

/** What a WorkloadAutoscaler has beyond an HPA. */
export interface WlaExtras {
  readonly mode: WlaMode;
  readonly pauseReason: string | undefined;
  /** Undefined: until the mode is changed. */
  readonly pausedUntilMs: number | undefined;
  readonly tuning: WlaTuning;
  /** By position in spec.metrics. */
  readonly failurePolicies: readonly FailurePolicy[];
  /** Why the object cannot be acted on. */
  readonly problems: readonly Problem[];
  /** The spec as stored, for writing the object back. */
  readonly storedSpec: unknown;
  readonly schedules: readonly ScheduleSpec[];
  /** What they say now; absent until the object's bounds are those that count now. */
  readonly scheduled?: Scheduled;
}

export interface WlaTuning {
  readonly syncPeriodMs?: number;
  readonly tolerance?: number;
  readonly cpuInitializationPeriodMs?: number;
  readonly initialReadinessDelayMs?: number;
  readonly downscaleStabilizationMs?: number;
  readonly upscaleForbiddenWindowMs?: number;
  readonly downscaleForbiddenWindowMs?: number;
  readonly adoptsFromZero?: boolean;
}

/** What the schedules of one object say now. */
export interface Scheduled extends ScheduledBounds {
  /** Entries that do not count; the others do. */
  readonly problems: readonly ScheduleProblem[];
}

/** What stands in the way of writing: nothing when Active; a pause that is over counts as Active. */
export function modeAt({ mode, pausedUntilMs }: WlaExtras, nowMs: number): WlaMode {
  return mode === "Paused" && pausedUntilMs !== undefined && nowMs >= pausedUntilMs ? "Active" : mode;
}
