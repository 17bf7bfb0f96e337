// Evaluates a Pods metric.

import type { PodsMetricSource } from "../../objects/metric-spec.ts";
import type { MetricSamples } from "../../objects/samples.ts";
import { wordSelectorProblem } from "../../objects/semantics.ts";
import type { TargetTrace } from "../../objects/trace/metric.ts";
import { milliText } from "../../values/quantity/format.ts";
import { milliOf } from "../../values/quantity/milli.ts";
import { selectorProblem } from "../../values/selector/label-selector.ts";
import { perPodProposal } from "../replicas/per-pod.ts";
import { averageGauge } from "../usage/gauge.ts";
import type { MetricContext } from "./context.ts";
import { identifierOf } from "./identifier.ts";
import { failedMetric, type MetricOutcome, type TraceParts } from "./outcome.ts";
import { podsUsage } from "./usage-table.ts";

/** @upstream pkg/controller/podautoscaler/horizontal.go#computeStatusForPodsMetric */
export function evaluatePods(
  source: PodsMetricSource,
  samples: MetricSamples,
  context: MetricContext,
): MetricOutcome {
  const { metric, target } = source;
  const name = `pods metric ${metric.name}`;
  const reason = "FailedGetPodsMetric";
  const fail = (message: string, trace: TraceParts = {}): MetricOutcome =>
    failedMetric({ name, reason, message, error: `failed to get pods metric value: ${message}` }, trace);
  const problem = wordSelectorProblem(selectorProblem(metric.selector), context.semantics);
  if (problem !== undefined) return fail(problem);
  const milli = milliOf(target?.averageValue, context.semantics);
  // Upstream would crash here; the API does not let such an object in.
  if (milli === undefined) return fail("invalid pods metric source: no average value target was set");
  const traced: TargetTrace = { type: "AverageValue", value: String(target.averageValue) };
  const table = podsUsage(samples, context.semantics);
  const proposal = perPodProposal(
    table.ok ? table : { ok: false, message: `unable to get metric ${metric.name}: ${table.message}` },
    { resource: "", gauge: averageGauge(milli), requests: undefined },
    context,
  );
  const trace = { target: traced, ...proposal.trace };
  if (!proposal.ok) return fail(proposal.message, trace);
  const current = { averageValue: milliText(proposal.average) };
  const status = { type: "Pods", pods: { metric: identifierOf(metric), current } };
  return { ok: true, replicas: proposal.replicas, name, status, trace };
}
