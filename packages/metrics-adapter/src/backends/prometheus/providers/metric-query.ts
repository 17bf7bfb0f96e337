// Prepares the query for a metric of a rule: what many requests have in common.
import { type CacheMeter, createComputedCache, detached } from "@plimsoll/component-base";
import type { Selector } from "@plimsoll/core/selector";
import {
  type CustomEntry,
  type ExternalEntry,
  groupResourceOf,
  isNamespaceName,
  matchersOf,
} from "@plimsoll/rules";
import { type PreparedQuery, type PrepareQuery, sizeOfQuery } from "../query/prepared-query.ts";
import { type LabelSelector, selectorObject } from "./selectors.ts";

/** A metric that a rule gives: of objects, or of none. */
export type MetricEntry = CustomEntry | ExternalEntry;

/** What a request says of the metric, whichever objects it is about. */
export interface MetricWords {
  /** As the request spells it. */
  readonly metric: string;
  readonly namespace: string | undefined;
  readonly metricSelector: Selector;
  /** As the request spells it. */
  readonly metricSelectorText: string;
}

export interface MetricQuery {
  readonly query: PreparedQuery;
  readonly namespace: { readonly label: string; readonly name: string } | undefined;
  /** As it goes back to the client. */
  readonly selector: LabelSelector | undefined;
}

export interface MetricProblem {
  readonly problem: string;
  /** Whether the rule is at fault, and not the request. */
  readonly isRule: boolean;
}

export type PrepareMetric = (entry: MetricEntry, words: MetricWords) => MetricQuery | MetricProblem;

/** Prepares once what many requests have in common. */
export function createPrepareMetric(prepare: PrepareQuery, meter?: CacheMeter): PrepareMetric {
  const known = createComputedCache<MetricEntry, MetricQuery | MetricProblem>({
    name: "metric_queries",
    meter,
    maxBytes: 8 * 1024 * 1024,
    sizeOf: (metric) => ("problem" in metric ? 2 * metric.problem.length : sizeOfQuery(metric.query)),
  });
  return (entry, words) => {
    const resource = "info" in entry ? groupResourceOf(entry.info) : "";
    // Neither names nor namespaces hold a line feed.
    const key = `${resource}\n${words.metric}\n${words.namespace ?? ""}\n${words.metricSelectorText}`;
    return known.get(key, entry, () => prepareMetric(prepare, entry, words));
  };
}

function prepareMetric(
  prepare: PrepareQuery,
  entry: MetricEntry,
  { namespace, metricSelector }: MetricWords,
): MetricQuery | MetricProblem {
  const { rule, series, namespaceLabel } = entry;
  const matchers = matchersOf(metricSelector);
  if (!matchers.ok) return { problem: matchers.message, isRule: false };
  if (rule.metricsQuery === undefined) return { problem: `${rule.path} has no query`, isRule: true };
  const isConfined = rule.namespaced && namespace !== undefined;
  if (isConfined && namespaceLabel === undefined) {
    return { problem: `${rule.path} has no label for namespaces`, isRule: true };
  }
  if (isConfined && !isNamespaceName(namespace)) {
    return { problem: `${JSON.stringify(namespace)} is not a namespace name`, isRule: false };
  }
  const confinement =
    isConfined && namespaceLabel !== undefined
      ? { label: namespaceLabel, name: detached(namespace) }
      : undefined;
  const objectLabel = "resourceLabel" in entry ? entry.resourceLabel : undefined;
  const query = prepare({
    template: rule.metricsQuery,
    series,
    selector: matchers.matchers,
    namespace: confinement,
    objectLabel,
    groupBy: objectLabel === undefined ? [] : [objectLabel],
  });
  return { query, namespace: confinement, selector: selectorObject(metricSelector) };
}
