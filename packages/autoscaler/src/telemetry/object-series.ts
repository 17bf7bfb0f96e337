// The metrics of each evaluated object, with the names of kube-state-metrics.
import type { MetricSpec, MetricStatus } from "@plimsoll/core";
import { approximateFloat, parseQuantity, QuantityError } from "@plimsoll/core/quantity";
import type { StoredDecision } from "../decisions/stored-decision.ts";
import { metricName } from "../objects/metric-name.ts";
import { namespaceOf, type ScalingObject } from "../objects/scaling-object.ts";
import { modeAt } from "../objects/wla-extras.ts";

/** An object of ours and what was decided on it last; one that moves the bounds of an HPA decides nothing itself. */
export interface Known {
  readonly hpa: ScalingObject;
  readonly stored: StoredDecision | undefined;
  readonly nowMs: number;
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface ObjectFamily {
  readonly name: string;
  readonly help: string;
  readonly samplesOf: (known: Known) => readonly Sample[];
}

interface Decided extends Known {
  readonly stored: StoredDecision;
}

type Target = NonNullable<MetricSpec["resource"]>["target"];
type Current = NonNullable<MetricStatus["resource"]>["current"];

const prefix = "plimsoll_horizontalpodautoscaler";

/**
 * One object's state as series: the names and labels are those that kube-state-metrics gives HPAs, under our prefix,
 * so that a dashboard moves by search and replace. A WorkloadAutoscaler has the same with its own `kind`.
 */
export const objectFamilies: readonly ObjectFamily[] = [
  {
    name: `${prefix}_info`,
    help: "The object's target, and its mode: active, shadow, paused, or yielded to another writer.",
    samplesOf: (known) => {
      const { kind, name } = known.hpa.spec.scaleTargetRef;
      const labels = { scaletargetref_kind: kind, scaletargetref_name: name, mode: modeOf(known) };
      return [sample(known, 1, labels)];
    },
  },
  {
    name: `${prefix}_spec_min_replicas`,
    help: "Lower limit of the object's spec.",
    samplesOf: ofDecision((decided) => [sample(decided, decided.hpa.spec.minReplicas ?? 1)]),
  },
  {
    name: `${prefix}_spec_max_replicas`,
    help: "Upper limit of the object's spec.",
    samplesOf: ofDecision((decided) => [sample(decided, decided.hpa.spec.maxReplicas)]),
  },
  {
    name: `${prefix}_status_current_replicas`,
    help: "Replicas that the last decision started from.",
    samplesOf: ofDecision((decided) => [sample(decided, decided.stored.decision.currentReplicas)]),
  },
  {
    name: `${prefix}_status_desired_replicas`,
    help: "Replicas that the last decision wants.",
    samplesOf: ofDecision((decided) => [sample(decided, decided.stored.decision.desiredReplicas)]),
  },
  {
    name: `${prefix}_status_condition`,
    help: "1 for the status and reason of each condition as of the last decision.",
    samplesOf: (known) =>
      (known.stored?.decision.status ?? known.hpa.status)?.conditions?.map(({ type, status, reason }) =>
        sample(known, 1, { condition: type, status: status.toLowerCase(), reason: reason ?? "" }),
      ) ?? [],
  },
  {
    name: `${prefix}_spec_target_metric`,
    help: "Target of each metric, by its position in the spec.",
    samplesOf: ofDecision((decided) =>
      (decided.hpa.spec.metrics ?? []).flatMap((metric, index) => {
        const reading = readingOf(sourceOf(metric)?.target);
        return reading === undefined ? [] : [metricSample(decided, { metric, index, ...reading })];
      }),
    ),
  },
  {
    name: `${prefix}_status_target_metric`,
    help: "Value of each metric as of the last decision; absent while it could not be read.",
    samplesOf: ofDecision((decided) =>
      (decided.stored.decision.status.currentMetrics ?? []).flatMap((metric, index) => {
        const reading = readingOf(sourceOf(metric)?.current);
        return reading === undefined ? [] : [metricSample(decided, { metric, index, ...reading })];
      }),
    ),
  },
  {
    name: `${prefix}_metric_proposed_replicas`,
    help: "Replicas that each metric proposed in the last decision, before stabilization and limits.",
    samplesOf: ofDecision((decided) =>
      decided.stored.proposals.map(({ index, replicas }) => {
        const metric = decided.hpa.spec.metrics?.[index];
        const labels = {
          metric_name: metric === undefined ? "" : metricName(metric),
          metric_index: `${index}`,
        };
        return sample(decided, replicas, labels);
      }),
    ),
  },
  {
    name: `${prefix}_last_decision_timestamp_seconds`,
    help: "Time of the object's last decision.",
    samplesOf: ofDecision((decided) => [sample(decided, decided.stored.nowMs / 1000)]),
  },
];

function ofDecision(samplesOf: (decided: Decided) => readonly Sample[]): ObjectFamily["samplesOf"] {
  return ({ stored, ...known }) => (stored === undefined ? [] : samplesOf({ ...known, stored }));
}

function sample({ hpa }: Known, value: number, labels: Readonly<Record<string, string>> = {}): Sample {
  const own = {
    namespace: namespaceOf(hpa),
    horizontalpodautoscaler: hpa.metadata.name,
    kind: hpa.kind,
  };
  return { labels: { ...own, ...labels }, value };
}

/** Two metrics of one name differ by their index. */
function metricSample(
  decided: Decided,
  reading: {
    readonly metric: MetricSpec | MetricStatus;
    readonly index: number;
    readonly type: string;
    readonly value: number;
  },
): Sample {
  const { metric, index, type, value } = reading;
  const labels = { metric_name: metricName(metric), metric_target_type: type, metric_index: `${index}` };
  return sample(decided, value, labels);
}

function modeOf({ hpa, stored, nowMs }: Known): string {
  if (stored?.context.yieldedTo !== undefined) return "yielded";
  const mode = hpa.kind === "WorkloadAutoscaler" ? modeAt(hpa.wla, nowMs) : undefined;
  if (mode === "Paused") return "paused";
  return stored?.mode ?? (mode === "Shadow" ? "shadow" : "active");
}

function sourceOf<T extends MetricSpec | MetricStatus>(metric: T) {
  return (metric.resource ??
    metric.containerResource ??
    metric.pods ??
    metric.object ??
    metric.external) as T extends MetricSpec
    ? { readonly target: Target } | undefined
    : { readonly current: Current } | undefined;
}

/** What kube-state-metrics calls the kinds of value. */
function readingOf(
  from: Partial<Pick<Target, "averageUtilization" | "averageValue" | "value">> | undefined,
): { readonly type: "utilization" | "average" | "value"; readonly value: number } | undefined {
  if (from === undefined) return undefined;
  if (typeof from.averageUtilization === "number")
    return { type: "utilization", value: from.averageUtilization };
  const type = from.averageValue === undefined ? "value" : "average";
  const value = numberOf(from.averageValue ?? from.value);
  return value === undefined ? undefined : { type, value };
}

function numberOf(quantity: string | undefined): number | undefined {
  if (quantity === undefined) return undefined;
  try {
    return approximateFloat(parseQuantity(quantity));
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
