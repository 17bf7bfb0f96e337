import { type ReplicaBounds, type ScheduleProblem, type ScheduleState, scheduleState } from "@plimsoll/core";
import type { NativeHpa } from "../hpa/native-hpa.ts";
import type { ScheduleReader } from "../schedules/reader.ts";
import { modeAt, type WlaMode } from "../wla/workload-autoscaler.ts";
import type { Demand } from "./plan.ts";

/** What a WorkloadAutoscaler that moves bounds says at an instant. */
export interface Reading {
  readonly mode: WlaMode;
  /** Undefined: nothing is to be moved. */
  readonly demand: (Demand & { readonly state: ScheduleState }) | undefined;
  /** Why none of it counts. */
  readonly problem: string | undefined;
  /** What the schedules say, whether it counts or not. */
  readonly state: ScheduleState;
  readonly outer: ReplicaBounds;
  /** Entries that do not count; the others do. */
  readonly entryProblems: readonly ScheduleProblem[];
  /** When it says something else. */
  readonly nextMs: number | undefined;
}

export function readDemand(
  object: NativeHpa,
  o: {
    readonly nowMs: number;
    readonly reader: ScheduleReader;
    /** The HPA's, as its user wrote them; ramps begin there. */
    readonly own: ReplicaBounds | undefined;
  },
): Reading {
  const { spec, wla, metadata } = object;
  const schedules = wla?.schedules ?? [];
  const outer = { minReplicas: spec.minReplicas ?? 1, maxReplicas: spec.maxReplicas };
  const problem = problemOf(wla?.problems ?? [], {
    hasMetrics: (spec.metrics ?? []).length > 0,
    hasSchedules: schedules.length > 0,
  });
  const mode = wla === undefined ? "Active" : modeAt(wla, o.nowMs);
  const bounds = { ...outer, minReplicas: o.own?.minReplicas ?? outer.minReplicas };
  const read = o.reader.read(metadata.uid ?? "", schedules, { bounds, nowMs: o.nowMs });
  const state = scheduleState(read.schedules, o.nowMs);
  const pausedUntilMs = mode === "Paused" ? wla?.pausedUntilMs : undefined;
  const isHeld = mode === "Active" && problem === undefined;
  return {
    mode,
    problem,
    state,
    outer,
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
