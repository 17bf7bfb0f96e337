import { cleanSpec } from "../api/clean.ts";
import { defaultSpec } from "../api/default.ts";
import { defaultBehavior, type FullBehavior } from "../behavior/defaults.ts";
import { int32From } from "../number/go-float.ts";
import { listPods, type PodList } from "../pods/prepare.ts";
import type { DecideInput, HpaMemory, ScheduledBounds } from "../spec/decision.ts";
import type { HpaSpec } from "../spec/hpa.ts";
import type { MetricSpec } from "../spec/metric-spec.ts";
import { type ControllerOptions, defaultOptions } from "../spec/options.ts";
import type { MetricSamples } from "../spec/samples.ts";
import { type Semantics, semanticsOf } from "../spec/semantics.ts";
import type { HpaStatus } from "../spec/status.ts";
import { textOf } from "../spec/text.ts";
import { readStatus } from "../status/read.ts";

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
  readonly rivals: readonly string[];
  readonly schedules: ScheduledBounds | undefined;
}

export function readSubject(input: DecideInput): Subject {
  const options = readOptions(input.options);
  const spec = defaultSpec(cleanSpec(input.hpa?.spec));
  const namespace = textOf(input.hpa?.metadata?.namespace);
  const target = spec.scaleTargetRef;
  return {
    nowMs: Number.isFinite(input.nowMs) ? input.nowMs + 0 : 0,
    namespace,
    reference: `${textOf(target?.kind)}/${namespace}/${textOf(target?.name)}`,
    generation: typeof input.hpa?.metadata?.generation === "number" ? input.hpa.metadata.generation : 0,
    minReplicas: int32From(spec.minReplicas, 1),
    maxReplicas: int32From(spec.maxReplicas, 0),
    metrics: spec.metrics ?? [],
    spec,
    behavior:
      spec.behavior === undefined || spec.behavior === null ? undefined : defaultBehavior(spec.behavior),
    stored: readStatus(input.hpa?.status),
    options,
    semantics: semanticsOf(options.semantics),
    pods: listPods(input.pods),
    samples: Array.isArray(input.samples) ? input.samples : [],
    rivals: Array.isArray(input.ambiguousWith) ? input.ambiguousWith.map(textOf) : [],
    schedules: readSchedules(input.schedules),
  };
}

/** What is not as `withSchedules` makes it counts as absent. */
function readSchedules(schedules: ScheduledBounds | undefined): ScheduledBounds | undefined {
  return schedules?.own && schedules.effective && Array.isArray(schedules.state?.active)
    ? schedules
    : undefined;
}

/** Options that are absent or of the wrong type take their defaults. */
export function readOptions(given: Partial<ControllerOptions> | undefined): ControllerOptions {
  const options: Record<string, unknown> = { ...defaultOptions };
  const source = (given ?? {}) as Readonly<Record<string, unknown>>;
  for (const key in options) {
    const value = source[key];
    const isProper = typeof value !== "number" || Number.isFinite(value);
    if (isProper && typeof value === typeof options[key]) options[key] = value;
  }
  return options as object as ControllerOptions;
}

const emptyMemory: HpaMemory = { recommendations: [], scaleUpEvents: [], scaleDownEvents: [] };

/** Memory from storage may be anything; what is no list of entries counts as empty. */
export function readMemory(memory: HpaMemory | undefined): HpaMemory {
  if (typeof memory !== "object" || memory === null) return emptyMemory;
  const list = <T extends { readonly atMs: number }>(entries: readonly T[], count: keyof T): readonly T[] =>
    Array.isArray(entries)
      ? entries.filter((entry) => Number.isFinite(entry?.atMs) && Number.isFinite(entry[count]))
      : [];
  return {
    recommendations: list(memory.recommendations, "replicas"),
    scaleUpEvents: list(memory.scaleUpEvents, "change"),
    scaleDownEvents: list(memory.scaleDownEvents, "change"),
  };
}
