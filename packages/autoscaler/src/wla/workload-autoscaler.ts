import {
  instantMs,
  type MetricSpec,
  type Problem,
  parseQuantity,
  QuantityError,
  type ScheduleSpec,
  validateHpa,
} from "@plimsoll/core";
import { approximateFloat } from "@plimsoll/core/quantity";
import type { KubeObject } from "@plimsoll/kube";
import { group, version } from "../crd/workload-autoscaler.ts";
import { statusWriterOf } from "../hpa/field-writer.ts";
import type { NativeHpa } from "../hpa/native-hpa.ts";
import type { Scheduled } from "../schedules/book.ts";
import type { FailurePolicy } from "./failure-policy.ts";

/** The collection that WorkloadAutoscalers live in. */
export const wlaResource = { group, version, resource: "workloadautoscalers" } as const;

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
}

interface WireMetric extends MetricSpec {
  readonly onMetricFailure?: FailurePolicy;
}

interface WireSpec {
  readonly minReplicas?: number;
  readonly metrics?: readonly WireMetric[] | null;
  readonly schedules?: readonly ScheduleSpec[] | null;
  readonly mode?: WlaMode;
  readonly pause?: { readonly reason?: string; readonly until?: string };
  readonly tuning?: {
    readonly syncPeriodSeconds?: number;
    readonly tolerance?: string | number;
    readonly cpuInitializationPeriodSeconds?: number;
    readonly initialReadinessDelaySeconds?: number;
    readonly downscaleStabilizationSeconds?: number;
  };
}

/** Reads a WorkloadAutoscaler as an HPA with extras: everything behind this sees one kind of object. */
export function projectWla(raw: KubeObject): NativeHpa {
  const { managedFields: _, ...metadata } = raw.metadata as KubeObject["metadata"] & {
    managedFields?: unknown;
  };
  const object = raw as KubeObject & { readonly spec?: WireSpec; readonly status?: NativeHpa["status"] };
  const { mode = "Active", pause, tuning, metrics, schedules, ...rest } = object.spec ?? {};
  const plain = (metrics ?? []).map((metric) => {
    const { onMetricFailure: _, ...source } = metric;
    return textQuantities(source) as MetricSpec;
  });
  const spec = {
    scaleTargetRef: { kind: "", name: "" },
    maxReplicas: 0,
    ...(textQuantities(rest) as object),
    ...(plain.length === 0 ? {} : { metrics: plain }),
  };
  const entries = Array.isArray(schedules) ? schedules : [];
  // Zero needs a metric that wakes it, or a schedule.
  const isBySchedule = entries.length > 0 && plain.length === 0 && rest.minReplicas === 0;
  const lowest = isBySchedule ? { minReplicas: 1 } : {};
  const statusWriter = statusWriterOf(raw);
  return {
    apiVersion: `${group}/${version}`,
    kind: "WorkloadAutoscaler",
    metadata,
    spec,
    ...(object.status === undefined ? {} : { status: object.status }),
    ...(statusWriter === undefined ? {} : { statusWriter }),
    wla: {
      mode,
      pauseReason: pause?.reason,
      pausedUntilMs: instantMs(pause?.until),
      tuning: readTuning(tuning),
      failurePolicies: (metrics ?? []).map(({ onMetricFailure }) => onMetricFailure ?? { policy: "Block" }),
      problems: validateHpa({ metadata, spec: { minReplicas: 1, ...spec, ...lowest } }),
      storedSpec: object.spec,
      schedules: entries,
    },
  };
}

function readTuning(tuning: WireSpec["tuning"]): WlaTuning {
  const ms = (seconds: number | undefined, least: number) =>
    typeof seconds === "number" && seconds >= least ? seconds * 1000 : undefined;
  return defined({
    syncPeriodMs: ms(tuning?.syncPeriodSeconds, 1),
    tolerance: fraction(tuning?.tolerance),
    cpuInitializationPeriodMs: ms(tuning?.cpuInitializationPeriodSeconds, 0),
    initialReadinessDelayMs: ms(tuning?.initialReadinessDelaySeconds, 0),
    downscaleStabilizationMs: ms(tuning?.downscaleStabilizationSeconds, 0),
  });
}

function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function fraction(value: string | number | undefined): number | undefined {
  if (value === undefined) return undefined;
  try {
    const read = approximateFloat(parseQuantity(String(value)));
    return read < 0 ? undefined : read;
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

const quantityFields = new Set(["value", "averageValue", "tolerance"]);

/** A custom resource keeps a quantity as it was written, which may be a number; the math takes text. */
function textQuantities(value: unknown, isPolicy = false): unknown {
  if (Array.isArray(value)) return value.map((item) => textQuantities(item, isPolicy));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      !isPolicy && typeof item === "number" && quantityFields.has(key)
        ? String(item)
        : textQuantities(item, isPolicy || key === "policies"),
    ]),
  );
}

/** What stands in the way of writing: nothing when Active; a pause that is over counts as Active. */
export function modeAt({ mode, pausedUntilMs }: WlaExtras, nowMs: number): WlaMode {
  return mode === "Paused" && pausedUntilMs !== undefined && nowMs >= pausedUntilMs ? "Active" : mode;
}
