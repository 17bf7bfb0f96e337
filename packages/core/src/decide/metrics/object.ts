// Evaluates an Object metric.

import type { ObjectMetricSource } from "../../objects/metric-spec.ts";
import type { MetricSamples, ObjectSample } from "../../objects/samples.ts";
import { wordSelectorProblem } from "../../objects/semantics.ts";
import type { MetricStatus, MetricValueStatus } from "../../objects/status.ts";
import type { TargetTrace } from "../../objects/trace/metric.ts";
import { milliText } from "../../values/quantity/format.ts";
import { milliOf } from "../../values/quantity/milli.ts";
import { selectorProblem } from "../../values/selector/label-selector.ts";
import { printSelector } from "../../values/selector/print.ts";
import { averageProposal, valueProposal } from "../replicas/total.ts";
import type { MetricContext } from "./context.ts";
import { identifierOf } from "./identifier.ts";
import { failedMetric, type MetricOutcome, type TraceParts } from "./outcome.ts";
import { failureOf } from "./usage-table.ts";

const neither = "invalid object metric source: neither a value target nor an average value target was set";

/** @upstream pkg/controller/podautoscaler/horizontal.go#computeStatusForObjectMetric */
export function evaluateObject(
  source: ObjectMetricSource,
  samples: MetricSamples,
  context: MetricContext,
): MetricOutcome {
  const { metric, target, describedObject } = source;
  const isAverage = target?.type === "AverageValue";
  const name =
    isAverage && context.semantics.averageObjectName === "external"
      ? `external metric ${metric.name}(${printSelector(metric.selector)})`
      : `${describedObject?.kind} metric ${metric.name}`;
  const reason = "FailedGetObjectMetric";
  const prefix = "failed to get object metric value: ";
  const fail = (message: string, trace: TraceParts = {}, lead = ""): MetricOutcome =>
    failedMetric({ name, reason, message, error: `${prefix}${lead}${message}` }, trace);
  const problem = wordSelectorProblem(selectorProblem(metric.selector), context.semantics);
  if (problem !== undefined) return fail(problem);
  const targetText = targetTextOf(target);
  const targetMilli = milliOf(targetText, context.semantics);
  if (targetMilli === undefined) return fail(neither);
  const traced: TargetTrace = { type: isAverage ? "AverageValue" : "Value", value: String(targetText) };
  const lead = isAverage ? `failed to get ${metric.name} object metric: ` : "";
  const reading = readObject(samples, context);
  if (!reading.ok) return fail(unreadableText(source, reading.message, context), { target: traced }, lead);
  const proposal = isAverage
    ? averageProposal(reading.milli, targetMilli, "object", context)
    : valueProposal(reading.milli, targetMilli, context);
  const trace: TraceParts = {
    target: traced,
    values: [reading.text],
    ...(isAverage ? { statusReplicas: context.statusReplicas } : {}),
    ...proposal.trace,
  };
  if (!proposal.ok) return fail(proposal.message, trace, lead);
  const usage = milliText(proposal.usage);
  const status = objectStatus(source, isAverage ? { averageValue: usage } : { value: usage }, context);
  return { ok: true, replicas: proposal.replicas, name, status, trace };
}

function targetTextOf(target: ObjectMetricSource["target"] | undefined) {
  if (target?.type === "AverageValue") return target.averageValue;
  return target?.type === "Value" ? target.value : undefined;
}

function unreadableText(
  { metric, describedObject }: ObjectMetricSource,
  message: string,
  { semantics, namespace }: MetricContext,
): string {
  const { kind, name } = describedObject;
  const text =
    semantics.objectErrorText === "ordered"
      ? `${metric.name} on ${kind} ${namespace}/${name}: ${message}`
      : `${metric.name}: ${kind} on ${namespace} ${name}/${message}`;
  return `unable to get metric ${text}`;
}

function objectStatus(
  source: ObjectMetricSource,
  current: MetricValueStatus,
  context: MetricContext,
): MetricStatus {
  const isDescribed = context.semantics.describesAverageObject || current.value !== undefined;
  const describedObject = isDescribed ? source.describedObject : { kind: "", name: "" };
  return { type: "Object", object: { describedObject, metric: identifierOf(source.metric), current } };
}

/** @upstream pkg/controller/podautoscaler/metrics/client.go#GetObjectMetric */
function readObject(samples: MetricSamples, { semantics }: MetricContext) {
  const message = failureOf(samples, "custom");
  if (message !== undefined) return { ok: false as const, message };
  const value: unknown = (samples as Partial<ObjectSample> | undefined)?.value;
  const milli = milliOf(value, semantics);
  if (milli === undefined) {
    const count = "the custom metrics API server returned 0 results when we asked for exactly one";
    return { ok: false as const, message: `unable to fetch metrics from custom metrics API: ${count}` };
  }
  return { ok: true as const, milli, text: String(value) };
}
