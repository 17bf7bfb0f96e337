// What a WorkloadAutoscaler requests for the bounds of its HPA at an instant.

import { type ScheduleReader, type ScheduleStates } from "@plimsoll/calendars";
import type { ReplicaBounds, ScheduleProblem, ScheduleState } from "@plimsoll/core";
import { problemsText } from "@plimsoll/core/api";
import { type ScalingObject, wlaOf } from "../../objects/scaling-object.ts";
import { modeAt, type WlaMode } from "../../objects/wla-extras.ts";
import type { BoundsRequest } from "./plan.ts";

/** What a WorkloadAutoscaler that moves bounds says at an instant. */
export interface Reading {
  readonly mode: WlaMode;
  /** Undefined: nothing is to be moved. */
  readonly request: (BoundsRequest & { readonly state: ScheduleState }) | undefined;
  /** Why none of it counts. */
  readonly problem: string | undefined;
  /** What the schedules say, whether it counts or not. */
  readonly state: ScheduleState;
  readonly outer: ReplicaBounds;
  /** Entries that do not count; the others do. */
  readonly entryProblems: readonly ScheduleProblem[];
  /** A calendar has not been read yet, or its namespace has no work left: nothing of it counts. */
  readonly isPending: boolean;
  /** When it says something else. */
  readonly nextMs: number | undefined;
}

export function readRequest(
  object: ScalingObject,
  {
    nowMs,
    reader,
    states,
    own,
  }: {
    readonly nowMs: number;
    readonly reader: ScheduleReader;
    readonly states: ScheduleStates;
    /** The HPA's, as its user wrote them; ramps begin there. */
    readonly own: ReplicaBounds | undefined;
  },
): Reading {
  const { spec, metadata } = object;
  const wla = wlaOf(object);
  const outer = { minReplicas: spec.minReplicas ?? 1, maxReplicas: spec.maxReplicas };
  const problem = problemOf(object);
  const mode = wla === undefined ? "Active" : modeAt(wla, nowMs);
  const bounds = { ...outer, minReplicas: own?.minReplicas ?? outer.minReplicas };
  const key = readerKey(object);
  const read = reader.read(key, wla?.schedules ?? [], { bounds, nowMs });
  const isReady = states.isReady(key, read.schedules);
  const state = isReady ? states.stateOf(key, read.schedules, nowMs) : nothingKnown(nowMs);
  const common = {
    mode,
    problem,
    state,
    outer,
    entryProblems: read.problems,
    isPending: read.isPending || !isReady,
  };
  if (mode === "Active" && problem === undefined)
    return { ...common, request: { by: metadata.name, outer, state }, nextMs: state.nextMs };
  return { ...common, request: undefined, nextMs: mode === "Paused" ? wla?.pausedUntilMs : undefined };
}

function nothingKnown(atMs: number): ScheduleState {
  return { atMs, floor: undefined, ceiling: undefined, active: [], nextMs: undefined };
}

/** Calendars are read namespace by namespace. */
export function readerKey({ metadata }: ScalingObject): string {
  return `${metadata.namespace ?? "default"}/${metadata.uid ?? ""}`;
}

function problemOf(object: ScalingObject): string | undefined {
  const { problems = [], schedules = [] } = wlaOf(object) ?? {};
  if ((object.spec.metrics ?? []).length > 0)
    return "spec.metrics: the target is a HorizontalPodAutoscaler, which has its own metrics; remove these";
  if (problems.length > 0) return problemsText(problems);
  if (schedules.length > 0) return undefined;
  return "spec.schedules: is missing; for a HorizontalPodAutoscaler as the target, set schedules";
}
