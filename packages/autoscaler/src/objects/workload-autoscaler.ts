// Reads a WorkloadAutoscaler of the API into the form that is evaluated.
import { type FailurePolicy, instantMs, type MetricSpec } from "@plimsoll/core";
import { validateHpa } from "@plimsoll/core/api";
import { approximateFloat, parseQuantity, QuantityError } from "@plimsoll/core/quantity";
import type { ScheduleSpec } from "@plimsoll/core/schedules";
import type { KubeObject } from "@plimsoll/kube";
import { statusWriterOf } from "../reconcile/conflicts/field-writer.ts";
import { extraProblems, maxMetrics, maxSeconds, metricsOf } from "./check-spec.ts";
import { group, version } from "./crd/workload-autoscaler.ts";
import type { ScalingObject, StoredWla } from "./scaling-object.ts";
import type { WlaMode, WlaTuning } from "./wla-extras.ts";

/** The collection that WorkloadAutoscalers live in. */
export const wlaResource = { group, version, resource: "workloadautoscalers" } as const;

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
    readonly upscaleDelaySeconds?: number;
    readonly downscaleDelaySeconds?: number;
  };
}

/** Reads a WorkloadAutoscaler as an HPA with extras: everything behind this sees one kind of object. */
export function projectWla(raw: KubeObject, options: { readonly scaleToZero?: boolean } = {}): StoredWla {
  const { managedFields: _, ...metadata } = raw.metadata as KubeObject["metadata"] & {
    managedFields?: unknown;
  };
  const object = raw as KubeObject & { readonly spec?: WireSpec; readonly status?: ScalingObject["status"] };
  const { mode = "Active", pause, tuning, metrics, schedules, ...rest } = object.spec ?? {};
  const listed = metricsOf(metrics).slice(0, maxMetrics) as readonly object[] as readonly WireMetric[];
  const plain = listed.map((metric) => {
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
      failurePolicies: listed.map(({ onMetricFailure }) => onMetricFailure ?? { policy: "Block" }),
      problems: [
        ...validateHpa(
          { metadata, spec: { minReplicas: 1, ...spec, ...lowest } },
          { scaleToZero: options.scaleToZero },
        ),
        ...extraProblems(object.spec),
      ],
      storedSpec: object.spec,
      schedules: entries,
    },
  };
}

/** What is refused does not count: a period without end would never come round to say so. */
function readTuning(tuning: WireSpec["tuning"]): WlaTuning {
  const ms = (seconds: number | undefined, least: number) =>
    typeof seconds === "number" && seconds >= least && seconds <= maxSeconds ? seconds * 1000 : undefined;
  return defined({
    syncPeriodMs: ms(tuning?.syncPeriodSeconds, 1),
    tolerance: fraction(tuning?.tolerance),
    cpuInitializationPeriodMs: ms(tuning?.cpuInitializationPeriodSeconds, 0),
    initialReadinessDelayMs: ms(tuning?.initialReadinessDelaySeconds, 0),
    downscaleStabilizationMs: ms(tuning?.downscaleStabilizationSeconds, 0),
    upscaleForbiddenWindowMs: ms(tuning?.upscaleDelaySeconds, 0),
    downscaleForbiddenWindowMs: ms(tuning?.downscaleDelaySeconds, 0),
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
