// What the MetricRules of a namespace may have and cost.

import { dayMs, hourMs, minuteMs } from "@plimsoll/core/internal/values";
import type { CostKind } from "@plimsoll/prometheus/enforce";

/** Each with its default in brackets. */
export interface RuleLimits {
  /** Rules of a namespace that are served [50]. */
  readonly rulesPerNamespace: number;
  /** How long a query may take [10 s]. */
  readonly timeoutMs: number;
  /** The longest range of a selector or a subquery [1 d]. */
  readonly maxRangeMs: number;
  /** How far a query reads back, ranges and offsets together [9 d: the same hour of last week]. */
  readonly maxLookbackMs: number;
  /** Evaluations of all selectors of a query together: the steps of its subqueries [3000]. */
  readonly maxEvaluations: number;
  /** What the parts of a query may cost, whatever the data; `defaultRuleLimits` has the numbers. */
  readonly maxCost: Readonly<Record<CostKind, number>>;
  /** Selectors of a query [20]. */
  readonly maxSelectors: number;
  /** Series of an answer [10,000]. */
  readonly maxSeries: number;
  /** Of what is kept of an answer [4 MiB]. */
  readonly maxResponseBytes: number;
  /** Requests of a namespace that wait for queries [100]. */
  readonly requestsPerNamespace: number;
  /** Requests of all namespaces that wait for queries, but for the first few of each [200]. */
  readonly requests: number;
}

export const defaultRuleLimits: RuleLimits = {
  rulesPerNamespace: 50,
  timeoutMs: 10_000,
  maxRangeMs: dayMs,
  maxLookbackMs: 9 * dayMs,
  maxEvaluations: 3_000,
  maxCost: {
    labelCopies: 6,
    labelBytes: 512,
    labelText: 500_000,
    regexSize: 5_000,
    labelRegexWork: 30_000,
    matcherRegexWork: 20_000,
    valueScans: 16,
    windowMs: 30 * dayMs,
    stepsPerSecond: 1,
    heldSteps: 3_000,
    joinedLabels: 30,
    groupedK: 100,
    groupedKSteps: 3_000,
    countValuesSteps: 16,
    quantiles: 10,
  },
  maxSelectors: 20,
  maxSeries: 10_000,
  maxResponseBytes: 4 * 1024 * 1024,
  requestsPerNamespace: 100,
  requests: 200,
};

/** A duration as PromQL writes it: `36h`, `1d`, `90s`. */
export function shownDuration(durationMs: number): string {
  const units = [
    [dayMs, "d"],
    [hourMs, "h"],
    [minuteMs, "m"],
    [1_000, "s"],
  ] as const;
  for (const [unitMs, unit] of units)
    if (durationMs >= unitMs && durationMs % unitMs === 0) return `${durationMs / unitMs}${unit}`;
  return `${durationMs}ms`;
}

/** Why a MetricRule beyond the limit is not served. Without their number, which each further one would change. */
export function rulesOverLimit(max: number): string {
  return `the namespace has more than ${max} MetricRules, and only the ${max} oldest are served: delete unused rules, or ask for a higher --metric-rule-limit`;
}

/** The same of queries of WorkloadAutoscalers. */
export function queriesOverLimit(max: number): string {
  return `the WorkloadAutoscalers of the namespace have more than ${max} queries, and only ${max} are served, starting with the first query of each object, oldest object first: remove unused queries, or ask for a higher --metric-rule-limit`;
}
