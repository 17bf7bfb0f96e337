// Evaluates an External metric.

import type { ExternalMetricSource } from "../../objects/metric-spec.ts";
import type { ExternalSamples, MetricSamples } from "../../objects/samples.ts";
import { wordSelectorProblem } from "../../objects/semantics.ts";
import type { TargetTrace } from "../../objects/trace/metric.ts";
import { textOf } from "../../values/fields.ts";
import { add, type Int64, maxInt64 } from "../../values/number/int64.ts";
import { milliText } from "../../values/quantity/format.ts";
import { milliOf } from "../../values/quantity/milli.ts";
import { selectorProblem } from "../../values/selector/label-selector.ts";
import { printSelector } from "../../values/selector/print.ts";
import { averageProposal, valueProposal } from "../replicas/total.ts";
import type { MetricContext } from "./context.ts";
import { identifierOf } from "./identifier.ts";
import { failedMetric, type MetricOutcome, type TraceParts } from "./outcome.ts";
import { failureOf } from "./usage-table.ts";

const neither = "invalid external metric source: neither a value target nor an average value target was set";

/** @upstream pkg/controller/podautoscaler/horizontal.go#computeStatusForExternalMetric */
export function evaluateExternal(
  source: ExternalMetricSource,
  samples: MetricSamples,
  context: MetricContext,
): MetricOutcome {
  const { metric, target } = source;
  const name = `external metric ${metric.name}(${printSelector(metric.selector)})`;
  const prefix = `failed to get ${metric.name} external metric value: `;
  const reason = "FailedGetExternalMetric";
  const fail = (message: string, trace: TraceParts = {}, lead = ""): MetricOutcome =>
    failedMetric({ name, reason, message, error: `${prefix}${lead}${message}` }, trace);
  const isAverage = target?.averageValue !== undefined && target.averageValue !== null;
  const targetText = isAverage ? target.averageValue : target?.value;
  const targetMilli = milliOf(targetText, context.semantics);
  if (targetMilli === undefined) return fail(neither);
  const lead = isAverage
    ? `failed to get ${metric.name} external metric: `
    : `failed to get external metric ${metric.name}: `;
  const traced: TargetTrace = { type: isAverage ? "AverageValue" : "Value", value: String(targetText) };
  const problem = wordSelectorProblem(selectorProblem(metric.selector), context.semantics);
  if (problem !== undefined) return fail(problem, { target: traced }, lead);
  const reading = readExternal(samples, context);
  if (!reading.ok) {
    const id = `${context.namespace}/${metric.name}/${printSelector(metric.selector)}`;
    return fail(`unable to get external metric ${id}: ${reading.message}`, { target: traced }, lead);
  }
  const { total, ...below } = totalOf(reading.milli, isAverage, context.semantics);
  const proposal = isAverage
    ? averageProposal(total, targetMilli, "external", context)
    : valueProposal(total, targetMilli, context);
  const trace: TraceParts = {
    target: traced,
    values: reading.texts,
    ...(isAverage ? { statusReplicas: context.statusReplicas } : {}),
    ...below,
    ...proposal.trace,
  };
  if (!proposal.ok) return fail(proposal.message, trace, lead);
  const usage = milliText(proposal.usage);
  const current = isAverage ? { averageValue: usage } : { value: usage };
  const status = { type: "External", external: { metric: identifierOf(metric), current } };
  return { ok: true, replicas: proposal.replicas, name, status, trace };
}

/** With what the values give where the total is another. */
function totalOf(
  values: readonly Int64[],
  isAverage: boolean,
  { readsNegativeSumAsOverflow, capsExternalSum }: MetricContext["semantics"],
) {
  const sum = sumOfSeries(values, isAverage || capsExternalSum);
  const total = isAverage ? sumOfAverages(values, readsNegativeSumAsOverflow) : sum;
  return { total, ...(sum < total ? { sum: milliText(sum) } : {}) };
}

/** @upstream pkg/controller/podautoscaler/replica_calculator.go#GetExternalMetricReplicas */
function sumOfSeries(values: readonly Int64[], isCapped: boolean): Int64 {
  let sum: Int64 = 0;
  for (const value of values) {
    if (isCapped && value > 0 && BigInt(sum) > maxInt64 - BigInt(value)) return maxInt64;
    sum = add(sum, value);
  }
  return sum;
}

/**
 * Upstream takes any running total below zero for an overflow.
 *
 * @upstream pkg/controller/podautoscaler/replica_calculator.go#GetExternalPerPodMetricReplicas
 */
function sumOfAverages(values: readonly Int64[], stopsBelowZero: boolean): Int64 {
  let sum: Int64 = 0;
  for (const value of values) {
    sum = add(sum, value);
    if (stopsBelowZero && sum < 0) return maxInt64;
  }
  return sum;
}

/** @upstream pkg/controller/podautoscaler/metrics/client.go#GetExternalMetric */
function readExternal(samples: MetricSamples, { semantics }: MetricContext) {
  const message = failureOf(samples, "external");
  if (message !== undefined) return { ok: false as const, message };
  const values: unknown = (samples as Partial<ExternalSamples> | undefined)?.values;
  const milli: Int64[] = [];
  const texts: string[] = [];
  for (const item of Array.isArray(values) ? (values as ExternalSamples["values"]) : []) {
    const amount = milliOf(item?.value, semantics);
    if (amount === undefined) continue;
    milli.push(amount);
    texts.push(textOf(item.value));
  }
  if (milli.length === 0)
    return { ok: false as const, message: "no metrics returned from external metrics API" };
  return { ok: true as const, milli, texts };
}
