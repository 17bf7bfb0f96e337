// A specification over some days, beside today's on the same days.
import { savedInterval, savedPart } from "./bootstrap.ts";
import type { DayScores } from "./evaluate.ts";
import type { PeriodFigures } from "./report.ts";

/** What of a day may be short or hot, whatever today's is. */
export interface Budget {
  readonly shortPodSeconds: number;
  readonly hotSeconds: number;
}

/** How figures are compared. */
export interface Comparison {
  readonly budget: Budget;
  readonly seed: number;
}

/** Means of a day; `purpose` names what is drawn again for the interval. */
export function periodFigures(
  own: readonly DayScores[],
  today: readonly DayScores[],
  { budget, seed }: Comparison,
  purpose: string,
): PeriodFigures {
  const mean = (of: (day: DayScores) => number): number =>
    own.reduce((sum, day) => sum + of(day), 0) / Math.max(1, own.length);
  const pairs = own.map((day, at) => ({ own: day.podHours, today: today[at]?.podHours ?? 0 }));
  const sum = (of: (pair: (typeof pairs)[number]) => number): number =>
    pairs.reduce((total, pair) => total + of(pair), 0);
  return {
    days: own.length,
    podHours: mean(({ podHours }) => podHours),
    shortPodSeconds: mean(({ shortPodSeconds }) => shortPodSeconds),
    hotSeconds: mean(({ hotSeconds }) => hotSeconds),
    events: mean(({ events }) => events),
    reversals: mean(({ reversals }) => reversals),
    peak: own.reduce((max, { peak }) => Math.max(max, peak), 0),
    saved: savedPart(
      sum((pair) => pair.own),
      sum((pair) => pair.today),
    ),
    interval: savedInterval(pairs, seed, purpose),
    brokenDays: own.filter((day, at) => isBeyond(day, today[at] ?? day, budget)).length,
  };
}

/** Short or hot beyond both. */
export function isBeyond(own: Budget, today: Budget, budget: Budget): boolean {
  const allowed = allowedOf(today, budget);
  return own.shortPodSeconds > allowed.shortPodSeconds || own.hotSeconds > allowed.hotSeconds;
}

/** The budget, or today's where that is more. */
export function allowedOf(today: Budget, budget: Budget): Budget {
  return {
    shortPodSeconds: Math.max(budget.shortPodSeconds, today.shortPodSeconds),
    hotSeconds: Math.max(budget.hotSeconds, today.hotSeconds),
  };
}
