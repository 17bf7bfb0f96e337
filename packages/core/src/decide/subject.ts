// Reads and defaults the input of a decision.

import { defaultBehavior, type FullBehavior } from "../objects/api/behavior-defaults.ts";
import { cleanSpec } from "../objects/api/clean.ts";
import { defaultSpec } from "../objects/api/default.ts";
import type { DecideInput, HpaMemory, ScheduledBounds, UnknownHistory } from "../objects/decision.ts";
import type { FailurePolicy } from "../objects/failure-policy.ts";
import type { HpaSpec } from "../objects/hpa.ts";
import type { MetricSpec } from "../objects/metric-spec.ts";
import type { DecisionMode } from "../objects/mode.ts";
import { type ControllerOptions, defaultOptions, type SemanticsProfile } from "../objects/options.ts";
import type { MetricSamples } from "../objects/samples.ts";
import type { ReplicaBounds } from "../objects/schedules/bounds.ts";
import type { ScheduleState } from "../objects/schedules/state.ts";
import type { Semantics } from "../objects/semantics.ts";
import { readStatus } from "../objects/status/read.ts";
import type { HpaStatus } from "../objects/status.ts";
import { isObject, textOf } from "../values/fields.ts";
import { int32From } from "../values/number/go-float.ts";
import { formatInstant, instantMs } from "../values/time/rfc3339.ts";
import { isUnknown } from "./behavior/unknown-history.ts";
import { listPods, type PodList } from "./pods/prepare.ts";

/** One evaluation's input, defaulted and made safe to compute with. */
export interface Subject {
  readonly nowMs: number;
  readonly namespace: string;
  /** KIND/NAMESPACE/NAME of the target. */
  readonly reference: string;
  readonly generation: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly metrics: readonly MetricSpec[];
  readonly spec: HpaSpec;
  readonly behavior: FullBehavior | undefined;
  readonly stored: HpaStatus;
  readonly options: ControllerOptions;
  readonly semantics: Semantics;
  readonly pods: PodList;
  readonly samples: readonly MetricSamples[];
  /** All HPAs that select the same pods, this one included; empty when it is the only one. */
  readonly conflictingHpas: readonly string[];
  readonly schedules: ScheduledBounds | undefined;
  readonly mode: DecisionMode;
  /** The status has the scale: ours, or the one that the built-in controller makes. */
  readonly announcesScale: boolean;
  /** Undefined when every metric has the default. */
  readonly failurePolicies: readonly FailurePolicy[] | undefined;
}

export function readSubject(
  input: DecideInput,
  { unknownHistory }: HpaMemory,
  semantics: Semantics,
): Subject {
  const nowMs = Number.isFinite(input.nowMs) ? input.nowMs + 0 : 0;
  const options = readOptions(input.options);
  const generation: unknown = input.hpa?.metadata?.generation;
  const spec = defaultSpec(cleanSpec(input.hpa?.spec));
  const namespace = textOf(input.hpa?.metadata?.namespace);
  const target = spec.scaleTargetRef;
  const mode = readMode(input.mode);
  return {
    nowMs,
    namespace,
    reference: `${textOf(target?.kind)}/${namespace}/${textOf(target?.name)}`,
    generation: typeof generation === "number" ? generation : 0,
    minReplicas: int32From(spec.minReplicas, 1),
    maxReplicas: int32From(spec.maxReplicas, 0),
    metrics: spec.metrics ?? [],
    spec,
    behavior: spec.behavior ? defaultBehavior(spec.behavior) : undefined,
    stored: withLastScale(
      readStatus(input.hpa?.status),
      isUnknown(unknownHistory, nowMs) ? unknownHistory : undefined,
    ),
    options,
    semantics,
    pods: listPods(input.pods),
    samples: Array.isArray(input.samples) ? input.samples : [],
    conflictingHpas: readNames(input.ambiguousWith),
    schedules: readSchedules(input.schedules),
    mode,
    announcesScale: announcesScale(mode, input.hpa),
    failurePolicies: readPolicies(input.failurePolicies),
  };
}

/** A status and a write of the same change are not further apart. */
const sameChangeMs = 2000;

/** The stored status has the time of the last scale, also when it was written before that scale. */
function withLastScale(status: HpaStatus, history: UnknownHistory | undefined): HpaStatus {
  if (history === undefined) return status;
  const announcedMs = instantMs(status.lastScaleTime);
  if (announcedMs !== undefined && history.lastScaleMs - announcedMs <= sameChangeMs) return status;
  return { ...status, lastScaleTime: formatInstant(history.lastScaleMs) };
}

const block: FailurePolicy = { policy: "Block" };

/** By position. An entry that is not a policy, or whose value is of a wrong type, blocks as an absent one does. */
function readPolicies(policies: unknown): readonly FailurePolicy[] | undefined {
  if (!Array.isArray(policies)) return undefined;
  return policies.every(isPolicy) ? policies : policies.map((entry) => (isPolicy(entry) ? entry : block));
}

function isPolicy(entry: unknown): entry is FailurePolicy {
  if (typeof entry !== "object" || entry === null) return false;
  const { policy, forSeconds, value, replicas } = entry as Readonly<Record<string, unknown>>;
  switch (policy) {
    case "HoldLast":
      return Number.isFinite(forSeconds);
    case "Assume":
      return typeof value === "string" || typeof value === "number";
    case "Fallback":
      return Number.isFinite(replicas);
    default:
      return policy === "Ignore" || policy === "Block";
  }
}

function readNames(names: unknown): readonly string[] {
  return Array.isArray(names) ? names.map(textOf) : [];
}

/** What is not as `withSchedules` makes it counts as absent. */
function readSchedules(schedules: ScheduledBounds | undefined): ScheduledBounds | undefined {
  const isProper =
    areBounds(schedules?.own) &&
    areBounds(schedules?.effective) &&
    areObjects(schedules?.problems ?? []) &&
    isState(schedules?.state);
  return isProper ? schedules : undefined;
}

function areBounds(bounds: ReplicaBounds | undefined): boolean {
  return Number.isFinite(bounds?.minReplicas) && Number.isFinite(bounds?.maxReplicas);
}

function isState(state: ScheduleState | undefined): boolean {
  const isAbsentOrNumber = (value: unknown) => value === undefined || Number.isFinite(value);
  return (
    areObjects(state?.active) &&
    isAbsentOrNumber(state.nextMs) &&
    state.active.every(({ sinceMs, untilMs }) => isAbsentOrNumber(sinceMs) && isAbsentOrNumber(untilMs))
  );
}

function areObjects(list: unknown): list is readonly object[] {
  return Array.isArray(list) && list.every(isObject);
}

/** A mode that is unknown is "Active", as an absent one is. */
export function readMode(mode: DecideInput["mode"]): DecisionMode {
  return mode === "Shadow" || mode === "Paused" ? mode : "Active";
}

function announcesScale(mode: DecisionMode, hpa: DecideInput["hpa"] | undefined): boolean {
  return mode === "Active" || (mode === "Shadow" && hpa?.kind === "HorizontalPodAutoscaler");
}

/** Options that are absent or of the wrong type take their defaults. */
export function readOptions(given: Partial<ControllerOptions> | undefined): ControllerOptions {
  const source = (given ?? {}) as Readonly<Record<keyof ControllerOptions, unknown>>;
  const { semantics, scaleToZero } = source;
  // Field by field: a loop over the names takes several times as long, in every decision.
  return {
    tolerance: numberOr(source.tolerance, defaultOptions.tolerance),
    cpuInitializationPeriodMs: numberOr(
      source.cpuInitializationPeriodMs,
      defaultOptions.cpuInitializationPeriodMs,
    ),
    initialReadinessDelayMs: numberOr(source.initialReadinessDelayMs, defaultOptions.initialReadinessDelayMs),
    downscaleStabilizationMs: numberOr(
      source.downscaleStabilizationMs,
      defaultOptions.downscaleStabilizationMs,
    ),
    adoptsFromZero: source.adoptsFromZero === true,
    scaleToZero: typeof scaleToZero === "boolean" ? scaleToZero : defaultOptions.scaleToZero,
    semantics: typeof semantics === "string" ? (semantics as SemanticsProfile) : defaultOptions.semantics,
    upscaleForbiddenWindowMs: numberOr(
      source.upscaleForbiddenWindowMs,
      defaultOptions.upscaleForbiddenWindowMs,
    ),
    downscaleForbiddenWindowMs: numberOr(
      source.downscaleForbiddenWindowMs,
      defaultOptions.downscaleForbiddenWindowMs,
    ),
  };
}

function numberOr(value: unknown, fallback: number): number {
  return Number.isFinite(value) ? (value as number) : fallback;
}
