// Reads a WorkloadAutoscaler of the API into the form that is evaluated.
import { isDeepStrictEqual } from "node:util";
import { type FailurePolicy, type HorizontalPodAutoscaler, instantMs, type MetricSpec } from "@plimsoll/core";
import { defaultHpa, validateHpa } from "@plimsoll/core/api";
import { group, textQuantities } from "@plimsoll/core/internal/objects";
import { isFields } from "@plimsoll/core/internal/values";
import { approximateFloat, parseQuantity, QuantityError } from "@plimsoll/core/quantity";
import { livePeriod, readQueries, withQueries, withQueryPaths } from "@plimsoll/core/queries";
import type { ScheduleSpec } from "@plimsoll/core/schedules";
import type { KubeObject } from "@plimsoll/kube";
import { extraProblems, maxMetrics, maxSeconds, metricsOf } from "./check-spec.ts";
import { besidesSpec, type ScalingObject, type StoredWla, wlaOf } from "./scaling-object.ts";
import type { WlaMode, WlaTuning } from "./wla-extras.ts";

export const version = "v1alpha1";

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
  readonly adopt?: "Never" | "FromZero";
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

/** What a reader of WorkloadAutoscalers goes by. */
export interface WlaReading {
  readonly scaleToZero?: boolean;
  /** Periods that are shorter become this one. */
  readonly minSyncPeriodMs?: number | undefined;
  /** The object as it was before: a specification that has not changed is neither read nor kept again. */
  readonly known?: ScalingObject | undefined;
}

/** Reads a WorkloadAutoscaler as an HPA with extras: everything behind this sees one kind of object. */
export function projectWla(raw: KubeObject, { known, ...reading }: WlaReading = {}): StoredWla {
  const object = besidesSpec(raw);
  const stored = (raw as { readonly spec?: WireSpec }).spec;
  const wla = known === undefined ? undefined : wlaOf(known);
  return {
    apiVersion: `${group}/${version}`,
    kind: "WorkloadAutoscaler",
    ...object,
    ...(known !== undefined && wla !== undefined && isDeepStrictEqual(wla.storedSpec, stored)
      ? { spec: known.spec, wla }
      : readSpec(stored, { metadata: object.metadata, ...reading })),
  };
}

function readSpec(
  stored: WireSpec | undefined,
  { metadata, scaleToZero, minSyncPeriodMs }: Pick<StoredWla, "metadata"> & Omit<WlaReading, "known">,
): Pick<StoredWla, "spec" | "wla"> {
  const { mode = "Active", adopt, pause, tuning, metrics, schedules, ...rest } = stored ?? {};
  const listed = metricsOf(metrics).slice(0, maxMetrics) as readonly object[] as readonly WireMetric[];
  const queries = readQueries(metadata.name, listed);
  const plain = withQueries(listed, queries).map((metric) => {
    const { onMetricFailure: _, ...source } = metric as WireMetric;
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
  return {
    spec,
    wla: {
      mode,
      pauseReason: pause?.reason,
      pausedUntilMs: instantMs(pause?.until),
      tuning: {
        ...atLeast(minSyncPeriodMs, { ...livePeriod(queries), ...readTuning(tuning) }),
        ...(adopt === "FromZero" ? { adoptsFromZero: true } : {}),
      },
      failurePolicies: listed.map(({ onMetricFailure }) => onMetricFailure ?? { policy: "Block" }),
      problems: [
        ...withQueryPaths(
          validateHpa(
            { metadata, spec: { minReplicas: 1, ...withPolicies(spec), ...lowest } },
            { scaleToZero },
          ),
          queries,
        ),
        ...queries.flatMap((query) => query.problems),
        ...extraProblems(stored),
      ],
      storedSpec: stored,
      schedules: entries,
    },
  };
}

const { behavior: defaults } = defaultHpa<HorizontalPodAutoscaler>({
  spec: { scaleTargetRef: { kind: "", name: "" }, maxReplicas: 1, behavior: {} },
}).spec;

/** The API server fills in the policies of an HPA before it validates them; the rules of a custom resource may have none. */
function withPolicies(spec: object): object {
  const { behavior } = spec as { readonly behavior?: unknown };
  if (!isFields(behavior)) return spec;
  const sides = (["scaleUp", "scaleDown"] as const).flatMap((side) => {
    const rules = behavior[side];
    const isOpen = isFields(rules) && (rules["policies"] ?? undefined) === undefined;
    return isOpen ? [[side, { ...rules, policies: defaults?.[side]?.policies }] as const] : [];
  });
  return sides.length === 0 ? spec : { ...spec, behavior: { ...behavior, ...Object.fromEntries(sides) } };
}

function atLeast(leastMs = 0, tuning: WlaTuning): WlaTuning {
  const { syncPeriodMs } = tuning;
  return syncPeriodMs === undefined ? tuning : { ...tuning, syncPeriodMs: Math.max(leastMs, syncPeriodMs) };
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
