import { int32From } from "../number/go-float.ts";
import type { Int64 } from "../number/int64.ts";
import { milliText } from "../quantity/format.ts";
import { milliOf } from "../quantity/milli.ts";
import { type PerPodProposal, perPodProposal } from "../replicas/per-pod.ts";
import type {
  ContainerResourceMetricSource,
  MetricTarget,
  ResourceMetricSource,
} from "../spec/metric-spec.ts";
import type { MetricSamples } from "../spec/samples.ts";
import type { MetricStatus, MetricValueStatus } from "../spec/status.ts";
import type { TargetTrace } from "../trace/metric.ts";
import { averageGauge, utilizationGauge } from "../usage/gauge.ts";
import type { MetricContext } from "./context.ts";
import { failedMetric, type MetricOutcome } from "./outcome.ts";
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

interface Question {
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
function evaluate(question: Question, wording: Wording): MetricOutcome {
  const { target } = question;
  if (target?.averageValue !== undefined && target.averageValue !== null) {
    return evaluateAverage(question, target.averageValue, wording);
  }
  if (target?.averageUtilization !== undefined && target.averageUtilization !== null) {
    return evaluateUtilization(question, int32From(target.averageUtilization, 0), wording);
  }
  const message =
    "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set";
  return fail(wording, `${question.resource} resource`, message);
}

function evaluateAverage(question: Question, target: string, wording: Wording): MetricOutcome {
  const { resource, context } = question;
  const name = `${resource} resource`;
  const milli = milliOf(target);
  if (milli === undefined)
    return fail(wording, name, `invalid target average value ${JSON.stringify(target)}`);
  const proposal = perPodProposal(
    usageOf(question),
    { resource, gauge: averageGauge(milli), requests: undefined },
    context,
  );
  const traced: TargetTrace = { type: "AverageValue", value: target };
  if (!proposal.ok) return failed(wording, name, `failed to get ${resource} usage: `, { proposal, traced });
  const current = { averageValue: usageText(resource, proposal.average, context) };
  return accepted(proposal, name, wording.status(current), traced);
}

function evaluateUtilization(question: Question, percent: number, wording: Wording): MetricOutcome {
  const { resource, container, context } = question;
  const name = `${resource} ${wording.label} utilization (percentage of request)`;
  const { hasPodLevelRequests: usePodLevel, absentContainer } = context.semantics;
  const requests = { resource, container, usePodLevel, allowsAbsentContainer: absentContainer === "error" };
  const proposal = perPodProposal(
    usageOf(question),
    { resource, gauge: utilizationGauge(percent), requests },
    context,
  );
  const traced: TargetTrace = { type: "Utilization", value: String(percent) };
  if (!proposal.ok)
    return failed(wording, name, `failed to get ${resource} utilization: `, { proposal, traced });
  const current = {
    averageUtilization: proposal.utilization ?? 0,
    averageValue: usageText(resource, proposal.average, context),
  };
  return accepted(proposal, name, wording.status(current), traced);
}

function usageOf(question: Question): UsageTable {
  const { resource, container, samples, context } = question;
  const lacking =
    container !== "" && context.semantics.absentContainer === "error"
      ? podWithout(container, samples)
      : undefined;
  const pod = `${context.namespace}/${lacking ?? ""}`;
  const failure = `failed to get container metrics: container ${container} not present in metrics for pod ${pod}`;
  const table = lacking === undefined ? resourceUsage(samples, resource, container) : undefined;
  if (table?.ok === true) return table;
  return {
    ok: false,
    message: `unable to get metrics for resource ${resource}: ${table?.message ?? failure}`,
  };
}

/** @upstream pkg/controller/podautoscaler/horizontal.go#buildQuantity */
function usageText(resource: string, average: Int64, context: MetricContext): string {
  const isBinary = resource === "memory" && context.semantics.printsMemoryBinary;
  return milliText(average, isBinary ? "BinarySI" : "DecimalSI");
}

function accepted(
  proposal: Extract<PerPodProposal, { ok: true }>,
  name: string,
  status: MetricStatus,
  target: TargetTrace,
): MetricOutcome {
  return { ok: true, replicas: proposal.replicas, name, status, trace: { target, ...proposal.trace } };
}

function failed(
  wording: Wording,
  name: string,
  lead: string,
  what: { proposal: Extract<PerPodProposal, { ok: false }>; traced: TargetTrace },
): MetricOutcome {
  const message = `${lead}${what.proposal.message}`;
  const { reason, prefix } = wording;
  return failedMetric(
    { name, reason, message, error: `${prefix}${message}` },
    { target: what.traced, ...what.proposal.trace },
  );
}

function fail(wording: Wording, name: string, message: string): MetricOutcome {
  return failedMetric({ name, reason: wording.reason, message, error: `${wording.prefix}${message}` });
}
