import {
  type ReplicaBounds,
  readSchedules,
  type ScheduleProblem,
  type ScheduleSpec,
  type ScheduleState,
  scheduleState,
  type ZoneOffset,
} from "@plimsoll/core";
import type { NativeHpa } from "../hpa/native-hpa.ts";
import { modeAt, type WlaMode } from "../wla/workload-autoscaler.ts";
import type { Demand } from "./plan.ts";

/** What a WorkloadAutoscaler that moves bounds says at an instant. */
export interface Reading {
  readonly mode: WlaMode;
  /** Undefined: nothing is to be moved. */
  readonly demand: (Demand & { readonly state: ScheduleState }) | undefined;
  /** Why none of it counts. */
  readonly problem: string | undefined;
  /** Entries that do not count; the others do. */
  readonly entryProblems: readonly ScheduleProblem[];
  /** When it says something else. */
  readonly nextMs: number | undefined;
}

interface WireSpec {
  readonly schedules?: readonly ScheduleSpec[] | null;
  readonly metrics?: readonly unknown[] | null;
}

export function readDemand(
  object: NativeHpa,
  o: {
    readonly nowMs: number;
    readonly zone: (timeZone: string) => ZoneOffset | undefined;
    /** The HPA's, as its user wrote them; ramps begin there. */
    readonly own: ReplicaBounds | undefined;
  },
): Reading {
  const { spec, wla, metadata } = object;
  const { schedules, metrics } = (wla?.storedSpec ?? {}) as WireSpec;
  const outer = { minReplicas: spec.minReplicas ?? 1, maxReplicas: spec.maxReplicas };
  const problem = problemOf(wla?.problems ?? [], {
    hasMetrics: (metrics ?? []).length > 0,
    hasSchedules: (schedules ?? []).length > 0,
  });
  const mode = wla === undefined ? "Active" : modeAt(wla, o.nowMs);
  const bounds = { ...outer, minReplicas: o.own?.minReplicas ?? outer.minReplicas };
  const read = readSchedules(schedules ?? [], { zone: o.zone, bounds });
  const state = scheduleState(read.schedules, o.nowMs);
  const pausedUntilMs = mode === "Paused" ? wla?.pausedUntilMs : undefined;
  const isHeld = mode === "Active" && problem === undefined;
  return {
    mode,
    problem,
    entryProblems: read.problems,
    demand: isHeld ? { by: metadata.name, outer, state } : undefined,
    nextMs: isHeld ? state.nextMs : pausedUntilMs,
  };
}

function problemOf(
  problems: readonly { readonly path: string; readonly message: string }[],
  { hasMetrics, hasSchedules }: { readonly hasMetrics: boolean; readonly hasSchedules: boolean },
): string | undefined {
  if (hasMetrics)
    return "spec.metrics: the target is a HorizontalPodAutoscaler, which has metrics of its own; leave them out";
  if (problems.length > 0)
    return problems
      .map(({ path, message }) => `${path}: ${message === "" ? "required" : message}`)
      .join("; ");
  return hasSchedules ? undefined : "spec.schedules: there are none, and the target has metrics of its own";
}
