import type { Selector } from "@plimsoll/kube";
import { createMemo } from "../memo.ts";
import { groupResourceOf } from "../naming/resource-labels.ts";
import type { MakeQuestion, Question } from "../query/question.ts";
import { matchersOf, selectorObject } from "../query/selector-matchers.ts";
import type { CustomEntry } from "../registry/snapshot.ts";
import type { CustomMetricQuery, LabelSelector } from "./provider.ts";

/** What the metric's part of a request means, whichever objects it is about. */
export interface CustomMetric {
  readonly question: Question;
  readonly namespace: { readonly label: string; readonly name: string } | undefined;
  readonly selector: LabelSelector | undefined;
}

interface MetricProblem {
  readonly problem: string;
  /** Whether the rule is at fault, and not the request. */
  readonly isRule: boolean;
}

/** @param selector The query's metricLabelSelector. */
export type ReadMetric = (
  entry: CustomEntry,
  query: CustomMetricQuery,
  selector: Selector,
) => CustomMetric | MetricProblem;

/** Reads what many requests have in common once. */
export function createReadMetric(makeQuestion: MakeQuestion): ReadMetric {
  const known = createMemo<CustomEntry, CustomMetric | MetricProblem>({ most: 10_000 });
  return (entry, query, selector) => {
    // Neither names nor namespaces hold a line feed.
    const place = `${groupResourceOf(entry.info)}\n${query.metric}\n${query.namespace ?? ""}`;
    return known.get(`${place}\n${query.metricLabelSelector}`, entry, () =>
      read(makeQuestion, { entry, namespace: query.namespace, selector }),
    );
  };
}

interface MetricWords {
  readonly entry: CustomEntry;
  readonly namespace: string | undefined;
  readonly selector: Selector;
}

function read(makeQuestion: MakeQuestion, words: MetricWords): CustomMetric | MetricProblem {
  const { rule, series, resourceLabel } = words.entry;
  const matchers = matchersOf(words.selector);
  if (!matchers.ok) return { problem: matchers.message, isRule: false };
  if (rule.metricsQuery === undefined) return { problem: `${rule.path} has no query`, isRule: true };
  const namespace = namespaceOf(words);
  if (namespace === undefined && words.namespace !== undefined) {
    return { problem: `${rule.path} names no label for namespaces`, isRule: true };
  }
  const question = makeQuestion({
    template: rule.metricsQuery,
    series,
    selector: matchers.matchers,
    namespace,
    objectLabel: resourceLabel,
    groupBy: [resourceLabel],
  });
  return { question, namespace, selector: selectorObject(words.selector) };
}

function namespaceOf({ entry, namespace }: MetricWords): CustomMetric["namespace"] {
  if (namespace === undefined || entry.namespaceLabel === undefined) return undefined;
  return { label: entry.namespaceLabel, name: namespace };
}
