// What a candidate has to keep on days, before it is recommended.
import { showPercent } from "@plimsoll/core/internal/values";
import { type Budget, isBeyond } from "./figures.ts";
import type { PeriodFigures } from "./report.ts";

/** Less is not worth a change. */
export const minSaved = 0.03;
/** Changes that are taken back: half as many again as today's, or two a day more. */
const maxReversals = { factor: 1.5, more: 2 };

/** Why it is not recommended by these days, such as "breaks the objective on 2 of 5 test days"; undefined where it is. */
export function guardAgainst(
  own: PeriodFigures,
  today: PeriodFigures,
  { budget, period }: { readonly budget: Budget; readonly period: string },
): string | undefined {
  if (isBeyond(own, today, budget)) {
    const { brokenDays, days } = own;
    return brokenDays > 0
      ? `breaks the objective on ${brokenDays} of ${days} ${period} days`
      : `breaks the objective on average of the ${period} days`;
  }
  const { factor, more } = maxReversals;
  if (own.reversals > Math.max(factor * today.reversals, today.reversals + more))
    return `reverses ${round(own.reversals)} changes a day on ${period} days; today's reverses ${round(today.reversals)}`;
  if (own.saved < minSaved) {
    return own.saved < 0
      ? `takes ${showPercent(-own.saved)} more on ${period} days`
      : `saves ${showPercent(own.saved)} on ${period} days, less than ${showPercent(minSaved)}`;
  }
  if (own.interval.low <= 0)
    return `saves ${showPercent(own.saved)} on ${period} days, which is uncertain: ${showPercent(own.interval.low)} to ${showPercent(own.interval.high)}`;
  return undefined;
}

function round(value: number): string {
  return value.toFixed(1);
}
