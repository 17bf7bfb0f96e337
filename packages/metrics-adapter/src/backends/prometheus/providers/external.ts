// The provider of external.metrics.k8s.io: metrics of no object.
import type { Awaitable } from "@plimsoll/component-base";
import { describeLabels, type ExternalEntry, quantityOf, type RegistrySnapshot } from "@plimsoll/rules";
import type { EngineTelemetry } from "../../../telemetry/prometheus.ts";
import type { Registry } from "../catalog/registry.ts";
import { partialFailure } from "./failure.ts";
import { type Failed, failed, type Outcome, ok } from "./outcome.ts";
import { createPipeline, type MetricRequest, type MetricResult, type PipelineOptions } from "./pipeline.ts";

/** Metrics of no object: external.metrics.k8s.io. */
export interface ExternalMetricsProvider {
  list(): readonly string[];
  /** As CustomMetricsProvider.get. */
  get(query: ExternalMetricQuery): Awaitable<Outcome<readonly ExternalMetricValue[]>>;
}

export interface ExternalMetricQuery {
  readonly namespace: string;
  readonly metric: string;
  readonly labelSelector: string;
  readonly signal: () => AbortSignal;
}

export interface ExternalMetricValue {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** Canonical quantity. */
  readonly value: string;
  readonly atMs: number;
  readonly windowSeconds: number | undefined;
  /** Of the first value of a WorkloadAutoscaler's query: the PromQL that gave all of them. */
  readonly query?: string | undefined;
}

export interface ExternalProviderOptions extends PipelineOptions {
  readonly telemetry: EngineTelemetry;
}

export function createExternalProvider(options: ExternalProviderOptions): ExternalMetricsProvider {
  const { registry, telemetry, readSelector } = options;
  const run = createPipeline<MetricRequest, ExternalEntry, ExternalMetricValue>(options, {
    find: (request, snapshot) => findEntry(registry, request.metric, snapshot),
    select: ({ metricSelector }) =>
      ok({ key: metricSelector.toString(), names: undefined, isUnchanged: () => true }),
    read: (_request, metric) => readValues(telemetry, metric),
    unusable: (_request, _entry, cause) => failed("Internal", `unable to fetch metrics: ${cause}`),
  });
  return {
    list: () => registry.snapshot().externalNames,
    get(query) {
      const selector = readSelector(query.labelSelector);
      if (!selector.ok) return selector;
      return run({
        caller: query,
        metric: query.metric,
        namespace: query.namespace,
        metricSelector: selector.value,
        metricSelectorText: query.labelSelector,
      });
    },
  };
}

function findEntry(registry: Registry, metric: string, snapshot: RegistrySnapshot): Outcome<ExternalEntry> {
  const entry = snapshot.external(metric);
  if (entry !== undefined) return ok(entry);
  const state = registry.state();
  if (!state.isComplete) {
    const cause = state.problem ?? "metrics haven't been listed yet";
    return failed("Unavailable", cause, { retryAfterSeconds: 1 });
  }
  return failed("MetricNotFound", `the server could not find the metric ${metric} for `);
}

function readValues(
  telemetry: EngineTelemetry,
  { entry, plan, result }: MetricResult<ExternalEntry>,
): Outcome<readonly ExternalMetricValue[]> {
  const { metric } = entry;
  const partial = partialFailure(result);
  if (partial !== undefined) return partial;
  const { windowSeconds } = plan;
  if (result.type === "scalar") {
    const value = quantityOf(result.value);
    if (value === undefined) return notANumber(telemetry, metric, `its value is ${String(result.value)}`);
    return ok([{ metric, labels: undefined, value, atMs: result.atMs, windowSeconds }]);
  }
  if (result.type !== "vector") {
    const message = `unable to fetch metrics: the query returned a ${result.type} instead of current values`;
    return failed("Internal", message);
  }
  const values: ExternalMetricValue[] = [];
  for (const { labels, value: number, atMs } of result.samples) {
    const value = quantityOf(number);
    // Callers add the values up: without one of them the sum would be too small, and scale down.
    if (value === undefined)
      return notANumber(telemetry, metric, `${describeLabels(labels)} is ${String(number)}`);
    values.push({ metric, labels, value, atMs, windowSeconds });
  }
  return ok(values);
}

function notANumber(telemetry: EngineTelemetry, metric: string, cause: string): Failed {
  telemetry.samplesDropped("not_a_number", 1);
  return failed("ObjectNotFound", `the metric ${metric} has no usable value: ${cause}`, { name: metric });
}
