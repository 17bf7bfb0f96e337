// Forces a namespace into every selector of a query.

import { labelText, quoteString } from "../matcher.ts";
import { figuresOf } from "./cost/cost.ts";
import { checkSize, defaultLimits, type EnforceLimits } from "./limits.ts";
import { parseStrictly } from "./parse.ts";
import { print } from "./print.ts";
import { Refused } from "./refused.ts";
import type { EnforcedQuery, EnforceResult } from "./result.ts";
import { readSelector } from "./selectors.ts";
import { type EnforcedSelector, type QueryCost, type TimedSelector, timesOf } from "./time.ts";
import { tokensOf } from "./tokens.ts";

/** What is forced into a query, and what a query may have. */
export interface EnforceOptions {
  /** The label that has the namespace of a series, mostly `namespace`. It is quoted where PromQL requires it. */
  readonly label: string;
  /** A name of a namespace as Kubernetes allows it. */
  readonly namespace: string;
  /** Those that are left out have their defaults. */
  readonly limits?: Partial<EnforceLimits>;
  /** What the server does with `[1h:]`, in milliseconds: its `global.evaluation_interval` [60000]. */
  readonly defaultStepMs?: number;
}

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const MAX_LABEL_LENGTH = 128;
const DEFAULT_STEP_MS = 60_000;

/**
 * A PromQL query that selects series of one namespace only: each of its selectors has the matcher
 * `label="namespace"`. Pure and total; what it does not know in full it refuses.
 *
 * `rate(requests_total{code="500"}[5m])` for `shop` is `rate(requests_total{code="500",namespace="shop"}[5m])`.
 *
 * Types are not checked: the server refuses `rate(up)`. What it never returns is a query with a selector that lacks the
 * matcher, for the parsers of Prometheus 2 and 3 and of VictoriaMetrics.
 */
export function enforceNamespace(query: string, options: EnforceOptions): EnforceResult {
  try {
    return enforced(query, options);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { reason, message, from, to } = error;
    return { ok: false, reason, message, from, to };
  }
}

function enforced(query: string, options: EnforceOptions): EnforcedQuery {
  const matcher = matcherOf(options);
  const limits = { ...defaultLimits, ...options.limits };
  checkSize(query, limits);
  const top = parseStrictly(query);
  const tokens = tokensOf(query, top);
  const times = timesOf(query, top, options.defaultStepMs ?? DEFAULT_STEP_MS);
  const { selectors: timed, maxRangeMs, maxEvaluations } = times;
  const excess = timed[limits.selectors]?.node;
  if (excess !== undefined)
    throw new Refused("TooLarge", `there are more than ${limits.selectors} selectors`, excess);
  const read = timed.map((selector) => ({
    ...readSelector(query, selector.node, options.label),
    timed: selector,
  }));
  const selectors = read.map(({ metricName, timed: selector }) => factsOf(selector, metricName));
  return {
    ok: true,
    query: print(query, tokens, { insertions: read.map(({ insertion }) => insertion), matcher }),
    selectors,
    cost: {
      ...costOf(selectors),
      maxRangeMs,
      maxEvaluations,
      figures: figuresOf({ query, top, label: options.label }, read, times),
    },
  };
}

/** @throws Refused: an empty namespace would select the series that belong to none. */
function matcherOf({ label, namespace }: EnforceOptions): string {
  const nowhere = { from: 0, to: 0 };
  const isLabel =
    label !== "" &&
    label !== "__name__" &&
    label.length <= MAX_LABEL_LENGTH &&
    // Half of a surrogate pair has no UTF-8 form.
    !/[\p{Cc}\p{Cs}\ufffd]/u.test(label);
  if (!isLabel)
    throw new Refused(
      "InvalidLabel",
      `${JSON.stringify(label.slice(0, MAX_LABEL_LENGTH))} is not a label`,
      nowhere,
    );
  if (!NAMESPACE.test(namespace)) {
    const message = `${JSON.stringify(namespace.slice(0, MAX_LABEL_LENGTH))} is not a namespace of Kubernetes`;
    throw new Refused("InvalidNamespace", message, nowhere);
  }
  return `${labelText(label)}=${quoteString(namespace)}`;
}

function factsOf({ node, rangeMs, when }: TimedSelector, metricName: string | undefined): EnforcedSelector {
  return {
    from: node.from,
    to: node.to,
    metricName,
    rangeMs,
    lookbackMs: Math.max(0, when.backMs),
    fixedAtMs: when.fixedAtMs,
    evaluations: when.evaluations,
  };
}

function costOf(selectors: readonly EnforcedSelector[]): Pick<QueryCost, "maxLookbackMs" | "hasFixedTime"> {
  return {
    maxLookbackMs: Math.max(0, ...selectors.map(({ lookbackMs }) => lookbackMs)),
    hasFixedTime: selectors.some(({ fixedAtMs }) => fixedAtMs !== undefined),
  };
}
