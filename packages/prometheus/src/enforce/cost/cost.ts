// What a query costs the server, whatever the data.
import type { SyntaxNode } from "@lezer/common";
import { isListOfTexts } from "../regex/read.ts";
import type { ReadMatcher } from "../selectors.ts";
import type { QueryTimes, TimedSelector } from "../time.ts";
import { type CostFigures, createFigures } from "./figures.ts";
import { countHeld } from "./held.ts";
import { type Costing, regexIn, workOn } from "./label-functions.ts";
import { labelsOf } from "./labels-of.ts";

/** A selector with its matchers. */
export interface CostlySelector {
  readonly matchers: readonly ReadMatcher[];
  readonly timed: TimedSelector;
}

/** @throws Refused when a label function has other arguments than it takes. */
export function figuresOf(
  { query, top, label }: { readonly query: string; readonly top: SyntaxNode; readonly label: string },
  selectors: readonly CostlySelector[],
  { evaluationsAt, subqueries }: Pick<QueryTimes, "evaluationsAt" | "subqueries">,
): CostFigures {
  const figures = createFigures();
  for (const { node, stepMs } of subqueries) figures.most("stepsPerSecond", 1_000 / stepMs, node);
  const costing: Costing = { query, figures, evaluationsAt };
  for (const { matchers, timed } of selectors) {
    const { node, rangeMs, when } = timed;
    if (rangeMs > 0) figures.add("windowMs", rangeMs * when.evaluations, node);
    for (const matcher of matchers) countMatcher(costing, matcher);
  }
  labelsOf(costing, top);
  countHeld(costing, top, label);
  return figures.all();
}

function countMatcher(costing: Costing, { node, operator, value }: ReadMatcher): void {
  const isRegex = operator === "=~" || operator === "!~";
  if (isRegex ? isListOfTexts(value) : value !== "") return;
  costing.figures.add("valueScans", 1, node);
  if (isRegex) costing.figures.add("matcherRegexWork", workOn(regexIn(costing, value, node)), node);
}
