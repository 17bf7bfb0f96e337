// Evaluates Resource and ContainerResource metrics.

import type {
  ContainerResourceMetricSource,
  MetricTarget,
  ResourceMetricSource,
} from "../../objects/metric-spec.ts";
import type { MetricSamples } from "../../objects/samples.ts";
import type { MetricStatus, MetricValueStatus } from "../../objects/status.ts";
import type { TargetTrace } from "../../objects/trace/metric.ts";
import { int32From } from "../../values/number/go-float.ts";
import type { Int64 } from "../../values/number/int64.ts";
import { milliText } from "../../values/quantity/format.ts";
import { milliOf } from "../../values/quantity/milli.ts";
import { type PerPodQuery, perPodProposal } from "../replicas/per-pod.ts";
import { averageGauge, utilizationGauge } from "../usage/gauge.ts";
import type { MetricContext } from "./context.ts";
import { failedMetric, type MetricOutcome, type TraceParts } from "./outcome.ts";
import { podWithout, resourceUsage, type UsageTable } from "./usage-table.ts";

/** @upstream pkg/controller/podautoscaler/horizontal.go#computeStatusForResourceMetric */
export function evaluateResource(
  source: ResourceMetricSource,
  samples: MetricSamples,
  context: MetricContext,
): MetricOutcome {
  const { name } = source;
  return evaluate(
    { resource: name, container: "", target: source.target, samples, context },
    {
      label: "resource",
      reason: "FailedGetResourceMetric",
      prefix: `failed to get ${name} resource metric value: `,
      status: (current) => ({ type: "Resource", resource: { name, current } }),
    },
  );
}

/** @upstream pkg/controller/podautoscaler/horizontal.go#computeStatusForContainerResourceMetric */
export function evaluateContainerResource(
  source: ContainerResourceMetricSource,
  samples: MetricSamples,
  context: MetricContext,
): MetricOutcome {
  const { name, container } = source;
  return evaluate(
    { resource: name, container, target: source.target, samples, context },
    {
      label: "container resource",
      reason: "FailedGetContainerResourceMetric",
      prefix: `failed to get ${container} container metric value: `,
      status: (current) => ({ type: "ContainerResource", containerResource: { name, container, current } }),
    },
  );
}

interface ResourceInput {
  readonly resource: string;
  readonly container: string;
  readonly target: MetricTarget;
  readonly samples: MetricSamples;
  readonly context: MetricContext;
}

interface Wording {
  readonly label: string;
  readonly reason: string;
  readonly prefix: string;
  status(current: MetricValueStatus): MetricStatus;
}

/** @upstream pkg/controller/podautoscaler/horizontal.go#computeStatusForResourceMetricGeneric */
function evaluate(input: ResourceInput, wording: Wording): MetricOutcome {
  const { resource, container, target, context } = input;
  const { averageValue, averageUtilization } = target ?? {};
  const name = `${resource} resource`;
  if (averageValue !== undefined && averageValue !== null) {
    const milli = milliOf(averageValue, context.semantics);
    if (milli === undefined)
      return fail(wording, name, `invalid target average value ${JSON.stringify(averageValue)}`);
    const traced = { type: "AverageValue", value: averageValue } as const;
    const query = { resource, gauge: averageGauge(milli), requests: undefined };
    return propose(input, wording, { name, reading: "usage", query, traced });
  }
  if (averageUtilization === undefined || averageUtilization === null) {
    const neither = "neither an average utilization target nor an average value (usage) target was set";
    return fail(wording, name, `invalid resource metric source: ${neither}`);
  }
  const percent = int32From(averageUtilization, 0);
  const { semantics } = context;
  return propose(input, wording, {
    name: `${resource} ${wording.label} utilization (percentage of request)`,
    reading: "utilization",
    query: {
      resource,
      gauge: utilizationGauge(percent, semantics),
      requests: { resource, container, semantics },
    },
    traced: { type: "Utilization", value: String(percent) },
  });
}

function propose(
  input: ResourceInput,
  wording: Wording,
  how: {
    readonly name: string;
    readonly reading: "usage" | "utilization";
    readonly query: PerPodQuery;
    readonly traced: TargetTrace;
  },
): MetricOutcome {
  const { resource, context } = input;
  const { name, reading, query, traced } = how;
  const proposal = perPodProposal(usageOf(input), query, context);
  const trace = { target: traced, ...proposal.trace };
  if (!proposal.ok)
    return fail(wording, name, `failed to get ${resource} ${reading}: ${proposal.message}`, trace);
  const { replicas, utilization, average } = proposal;
  const averageValue = usageText(resource, average, context);
  const current =
    utilization === undefined ? { averageValue } : { averageUtilization: utilization, averageValue };
  return { ok: true, replicas, name, status: wording.status(current), trace };
}

function usageOf(input: ResourceInput): UsageTable {
  const { resource, container, samples, context } = input;
  const lacking =
    container !== "" && context.semantics.absentContainer === "error"
      ? podWithout(container, samples)
      : undefined;
  const pod = `${context.namespace}/${lacking ?? ""}`;
  const failure = `failed to get container metrics: container ${container} not present in metrics for pod ${pod}`;
  const table =
    lacking === undefined
      ? resourceUsage(samples, { resource, container, semantics: context.semantics })
      : undefined;
  if (table?.ok === true) return table;
  const message = table?.message ?? failure;
  return { ok: false, message: `unable to get metrics for resource ${resource}: ${message}` };
}

/** @upstream pkg/controller/podautoscaler/horizontal.go#buildQuantity */
function usageText(resource: string, average: Int64, context: MetricContext): string {
  const isBinary = resource === "memory" && context.semantics.printsMemoryBinary;
  return milliText(average, isBinary ? "BinarySI" : "DecimalSI");
}

function fail(wording: Wording, name: string, message: string, trace: TraceParts = {}): MetricOutcome {
  const { reason, prefix } = wording;
  return failedMetric({ name, reason, message, error: `${prefix}${message}` }, trace);
}
