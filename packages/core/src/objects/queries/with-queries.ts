// Puts the metrics that represent queries in their place, so that everything behind decides by External and Pods metrics.
import { fieldsOf, listOf, textOf } from "../../values/fields.ts";
import { type Problem } from "../api/validate/problem.ts";
import type { MetricSpec, MetricTarget } from "../metric-spec.ts";
import type { LiveSource } from "./live.ts";
import { queryLabel } from "./name.ts";
import { type QueryEntry, readQueries } from "./read.ts";

/**
 * The metrics of an object with a query as what it is evaluated as: an External metric, or with a label of pods a Pods
 * metric, named as it is shown. The same list where there is no query.
 */
export function withQueries<T>(
  metrics: readonly T[],
  queries: readonly QueryEntry[],
): readonly (T | MetricSpec)[] {
  if (queries.length === 0) return metrics;
  const byIndex = new Map(queries.map((entry) => [entry.index, entry]));
  return listOf(metrics).map((metric, index) => {
    const entry = byIndex.get(index);
    return entry === undefined ? (metric as T) : metricOf(entry);
  });
}

/** A WorkloadAutoscaler as the API has it, with the metrics that represent its queries; the object itself without any. */
export function asDecided<T>(object: T): T {
  const { metadata, spec } = fieldsOf(object);
  const { metrics } = fieldsOf(spec);
  const queries = readQueries(textOf(fieldsOf(metadata)["name"]), metrics);
  if (queries.length === 0) return object;
  return { ...object, spec: { ...fieldsOf(spec), metrics: withQueries(listOf(metrics), queries) } };
}

function metricOf({ index, query, target }: QueryEntry): MetricSpec {
  const source = { metric: { name: queryLabel(index) }, target };
  return query.podLabel === undefined
    ? { type: "External", external: source, query }
    : { type: "Pods", pods: source, query };
}

/** The entry of spec.metrics that such a metric was made of; any other metric is its own. */
export function asWritten(metric: MetricSpec): MetricSpec | WrittenQuery {
  const { query, pods, external } = metric;
  const { target } = pods ?? external ?? {};
  if (query === undefined || target === undefined) return metric;
  const { promql, source, podLabel, live } = query;
  return {
    type: "Query",
    query: {
      promql,
      ...(source === "default" ? {} : { source }),
      ...(podLabel === undefined ? {} : { podLabel }),
      ...(live === undefined ? {} : { live }),
      target,
    },
  };
}

/** An entry of type Query, as a WorkloadAutoscaler has it. */
export interface WrittenQuery {
  readonly type: "Query";
  readonly query: {
    readonly promql: string;
    readonly source?: string;
    readonly podLabel?: string;
    readonly live?: LiveSource;
    readonly target: MetricTarget;
  };
}

/** Problems of those metrics, under the fields that the object has. */
export function withQueryPaths(
  problems: readonly Problem[],
  queries: readonly QueryEntry[],
): readonly Problem[] {
  if (queries.length === 0) return problems;
  const fields = queries.map(({ index, query }) => ({
    from: `spec.metrics[${index}].${query.podLabel === undefined ? "external" : "pods"}.`,
    to: `spec.metrics[${index}].query.`,
  }));
  return problems.map((problem) => {
    const field = fields.find(({ from }) => problem.path.startsWith(from));
    return field === undefined
      ? problem
      : { ...problem, path: `${field.to}${problem.path.slice(field.from.length)}` };
  });
}
