// Says which part of a query costs too much, and what to write instead.
import type { CostFigure, CostKind, EnforcedQuery } from "@plimsoll/prometheus/enforce";
import type { Refusal } from "./compiled.ts";
import { type RuleLimits, shownDuration } from "./limits.ts";

/** The part, its figure, the limit, and what to do; undefined when the query is within all limits. */
export function costProblem(query: string, enforced: EnforcedQuery, limits: RuleLimits): Refusal | undefined {
  const { regexSize } = enforced.cost.figures;
  if (regexSize?.amount === Number.POSITIVE_INFINITY) {
    const message = `${shownPart(query, regexSize)} is not a valid RE2 regular expression, or nests groups more than 200 deep (at character ${regexSize.from + 1})`;
    return { reason: "Unparsable", message };
  }
  const message = timeProblem(enforced, limits) ?? figureProblem(query, enforced, limits);
  return message === undefined ? undefined : { reason: "TooCostly", message };
}

function timeProblem({ selectors, cost }: EnforcedQuery, limits: RuleLimits): string | undefined {
  const { maxRangeMs, maxLookbackMs, hasFixedTime } = cost;
  if (hasFixedTime)
    return "a selector reads at a fixed time with @, so its data gets older and older: use offset, or remove the @";
  if (maxRangeMs > limits.maxRangeMs) {
    const [range, max] = [maxRangeMs, limits.maxRangeMs].map(shownDuration);
    return `a range of ${range} is longer than ${max}: use a shorter one, or a recording rule`;
  }
  if (maxLookbackMs > limits.maxLookbackMs) {
    const [lookback, max] = [maxLookbackMs, limits.maxLookbackMs].map(shownDuration);
    return `a selector reads ${lookback} back, more than ${max}: use a shorter offset or range`;
  }
  const evaluations = selectors.reduce((sum, selector) => sum + selector.evaluations, 0);
  if (evaluations <= limits.maxEvaluations && cost.maxEvaluations <= limits.maxEvaluations) return undefined;
  const figure = Math.max(evaluations, cost.maxEvaluations);
  return `its subqueries take ${figure} evaluations, more than ${limits.maxEvaluations}: use longer steps, or a recording rule`;
}

type Words = (amount: string, max: string) => string;

/** In the order in which they are reported: causes before what follows from them. */
const words: Readonly<Record<CostKind, Words>> = {
  quantiles: (amount, max) =>
    `makes ${amount} series of each series; at most ${max} are allowed: use fewer quantiles`,
  labelCopies: (amount, max) =>
    `may make the labels of a series ${amount} times as long; at most ${max} times is allowed: use each group once in a replacement, and fewer label_replace, label_join, and group_left labels`,
  joinedLabels: (amount, max) =>
    `is one of the parts that copy ${amount} labels into each series of a join, labels of earlier joins and of all steps of a subquery included; at most ${max} are allowed: copy fewer labels with group_left, group_right, and label_join, aggregate in between, or copy labels around the subquery`,
  labelBytes: (amount, max) =>
    `may write ${amount} bytes into the labels of each series; at most ${max} are allowed: write shorter texts, and use each group once in a replacement`,
  regexSize: (amount, max) =>
    `is part of regular expressions with ${amount} instructions once repetitions such as {0,99} are expanded; at most ${max} are allowed: use + or *, or smaller numbers`,
  labelRegexWork: (amount, max) =>
    `is part of regular expressions that may run ${amount} instructions for each series; at most ${max} are allowed: write a fixed start in place of .*, use fewer ? and {0,9}, or split labels when you scrape`,
  matcherRegexWork: (amount, max) =>
    `is part of matchers that may run ${amount} instructions for each value that their labels have in the server; at most ${max} are allowed: list whole values with |, or write a fixed start in place of .*`,
  valueScans: (amount, max) =>
    `is one of ${amount} matchers that read all values of their label in the server; at most ${max} are allowed: use =, !=, or =~ with a list of whole values`,
  windowMs: (amount, max) =>
    `is read again at each step of a subquery, ${amount} of samples in all; at most ${max} are allowed: use a shorter range, a longer step, or a recording rule`,
  stepsPerSecond: (amount, max) =>
    `takes ${amount} steps a second; at most ${max} is allowed: use a step of 1s or longer`,
  groupedK: (amount, max) =>
    `reserves ${amount === "Infinity" ? "an unknown number of" : amount} series for each group; at most ${max} are allowed: write a smaller number, or remove by and without`,
  groupedKSteps: (amount, max) =>
    `reserves ${amount} series for each group at all steps of its subqueries; at most ${max} are allowed: write a smaller number, use a longer step, or remove by and without`,
  countValuesSteps: (amount, max) =>
    `is part of count_values in subqueries that may make other series at each of ${amount} steps; at most ${max} steps are allowed: use a longer step, or count_values without a subquery`,
  labelText: (amount, max) =>
    `is part of label functions that write ${amount} bytes for each series at all steps of their subqueries; at most ${max} are allowed: call them around the subquery, or use a longer step`,
  heldSteps: (amount, max) =>
    `holds ${amount} samples of each series at a time, with the operands and results of all steps of a subquery; at most ${max} are allowed: use a longer step such as [1d:2m], aggregate without by, or aggregate the result of the subquery`,
};

const SHOWN = 60;

function figureProblem(
  query: string,
  { cost: { figures } }: EnforcedQuery,
  limits: RuleLimits,
): string | undefined {
  for (const kind of Object.keys(words) as CostKind[]) {
    const figure = figures[kind];
    const max = limits.maxCost[kind];
    if (figure === undefined || figure.amount <= max) continue;
    const amounts = [figure.amount, max].map((amount) =>
      kind === "windowMs" ? shownDuration(amount) : shownAmount(amount),
    );
    return `${shownPart(query, figure)} ${words[kind](amounts[0] ?? "", amounts[1] ?? "")} (at character ${figure.from + 1})`;
  }
  return undefined;
}

function shownPart(query: string, { from, to }: CostFigure): string {
  const part = query.slice(from, Math.min(to, from + SHOWN));
  return JSON.stringify(to - from > SHOWN ? `${part}…` : part);
}

/** Estimates of more than a billion are about orders of magnitude. */
function shownAmount(amount: number): string {
  return Number.isFinite(amount) && amount >= 1e9 ? amount.toPrecision(2) : String(Math.ceil(amount));
}
