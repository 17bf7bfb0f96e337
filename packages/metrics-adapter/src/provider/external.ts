import type { InstantResult } from "@plimsoll/prometheus";
import type { EngineTelemetry } from "../engine-telemetry.ts";
import { failureOf } from "../query/failure.ts";
import { isNamespaceName } from "../query/object-names.ts";
import { planQuery, type QueryPlan } from "../query/plan.ts";
import type { RunQuery } from "../query/runner.ts";
import { matchersOf } from "../query/selector-matchers.ts";
import { quantityOf } from "../query/value.ts";
import type { Registry } from "../registry/registry.ts";
import type { ExternalEntry } from "../registry/snapshot.ts";
import { describeLabels } from "./match.ts";
import { failed, ok, readSelector } from "./outcome.ts";
import { partialFailure, partialWarning } from "./partial.ts";
import type {
  ExternalMetricQuery,
  ExternalMetricsProvider,
  ExternalMetricValue,
  Outcome,
} from "./provider.ts";

export interface ExternalProviderOptions {
  readonly registry: Registry;
  readonly runQuery: RunQuery;
  readonly telemetry: EngineTelemetry;
}

/** Metrics of nothing in the cluster: external.metrics.k8s.io. */
export function createExternalProvider(options: ExternalProviderOptions): ExternalMetricsProvider {
  return {
    list: () => options.registry.snapshot().externalNames,
    async get(query) {
      try {
        const plan = planFor(options, query);
        if (!plan.ok) return plan;
        const result = await options.runQuery(plan.value.promql, query.signal);
        return values(options, { metric: plan.value.metric, plan: plan.value, result, query });
      } catch (error) {
        const failure = failureOf(error, query.signal);
        if (failure === undefined) throw error;
        return { ok: false, failure };
      }
    },
  };
}

interface ExternalPlan extends QueryPlan {
  readonly metric: string;
}

function planFor(options: ExternalProviderOptions, query: ExternalMetricQuery): Outcome<ExternalPlan> {
  const selector = readSelector(query.labelSelector);
  if (!selector.ok) return selector;
  const found = findEntry(options.registry, query);
  if (!found.ok) return found;
  const { rule, series, metric, namespaceLabel } = found.value;
  const matchers = matchersOf(selector.value);
  if (!matchers.ok) return failed("BadRequest", matchers.message);
  const unusable = (cause: string): ReturnType<typeof failed> =>
    failed("Internal", `unable to fetch metrics: ${rule.path} ${cause}`);
  if (rule.metricsQuery === undefined) return unusable("has no query");
  if (rule.namespaced && namespaceLabel === undefined) return unusable("names no label for namespaces");
  if (rule.namespaced && !isNamespaceName(query.namespace)) {
    return failed("BadRequest", `${JSON.stringify(query.namespace)} is not the name of a namespace`);
  }
  const planned = planQuery({
    template: rule.metricsQuery,
    series,
    selector: matchers.matchers,
    namespace: namespaceLabel === undefined ? undefined : { label: namespaceLabel, name: query.namespace },
    objects: undefined,
    groupBy: [],
  });
  if (planned.ok) return ok({ ...planned.plan, metric });
  return planned.kind === "contradiction" ? failed("BadRequest", planned.message) : unusable(planned.message);
}

function findEntry(registry: Registry, query: ExternalMetricQuery): Outcome<ExternalEntry> {
  const entry = registry.snapshot().external(query.metric);
  if (entry !== undefined) return ok(entry);
  const state = registry.state();
  if (!state.isComplete) {
    const cause = state.problem ?? "the metrics have not been listed yet";
    return failed("Unavailable", cause, { retryAfterSeconds: 1 });
  }
  return failed("MetricNotFound", `the server could not find the metric ${query.metric} for `);
}

interface Answered {
  readonly metric: string;
  readonly plan: QueryPlan;
  readonly result: InstantResult;
  readonly query: ExternalMetricQuery;
}

function values(
  options: ExternalProviderOptions,
  answered: Answered,
): Outcome<readonly ExternalMetricValue[]> {
  const { metric, plan, result } = answered;
  const warning = partialWarning(result);
  if (warning !== undefined) return partialFailure(warning);
  const { windowSeconds } = plan;
  if (result.type === "scalar") {
    const value = quantityOf(result.value);
    if (value === undefined) return notANumber(options, metric, `its value is ${String(result.value)}`);
    return ok([{ metric, labels: undefined, value, atMs: result.atMs, windowSeconds }]);
  }
  if (result.type !== "vector") {
    return failed(
      "Internal",
      `unable to fetch metrics: the query gives a ${result.type}, not current values`,
    );
  }
  const found: ExternalMetricValue[] = [];
  for (const { labels, value: number, atMs } of result.samples) {
    const value = quantityOf(number);
    // Callers add the values up: leaving one out would make the sum too small, and scale down.
    if (value === undefined)
      return notANumber(options, metric, `${describeLabels(labels)} is ${String(number)}`);
    found.push({ metric, labels, value, atMs, windowSeconds });
  }
  return ok(found);
}

function notANumber(
  options: ExternalProviderOptions,
  metric: string,
  cause: string,
): ReturnType<typeof failed> {
  options.telemetry.samplesDropped("not_a_number", 1);
  return failed("ObjectNotFound", `the metric ${metric} has no usable value: ${cause}`, { name: metric });
}
