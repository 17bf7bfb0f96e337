// The figures of a search as words, for text, Markdown, patches and the picture.
import type { Interval, PeriodFigures, TuneRefusal } from "@plimsoll/backtest";
import { amount } from "../../output/amount.ts";
import { controlText } from "../backtest/what-if-text.ts";
import type { TuneOpenLoop, TuneResult } from "./document.ts";

/** What a pod can take, where it is not given. */
export const usualLoad = "which it had less than in 99.9 % of the training days";

/** Saved pod-hours as people expect them: less is negative. "−11.4 %". */
export function savedText(saved: number): string {
  const percent = (-100 * saved).toFixed(1);
  if (Number(percent) === 0) return "±0.0 %";
  return `${saved > 0 ? "−" : "+"}${percent.replace("-", "")} %`;
}

/** "−13.0…−9.6": the largest saving first. */
export function intervalText({ low, high }: Interval): string {
  return `${bare(high)}…${bare(low)}`;
}

function bare(saved: number): string {
  return savedText(saved).replace(" %", "");
}

/** "2.1", in pod-minutes. */
export function shortText({ shortPodSeconds }: Pick<PeriodFigures, "shortPodSeconds">): string {
  return digits(shortPodSeconds / 60);
}

/** Such as "364" or "36.4": rows of a column have the same digits. */
export function digits(value: number): string {
  if (value >= 100 || (value !== 0 && value < 0.05)) return amount(value);
  return value.toFixed(1);
}

/** "0.02 %" of a day. */
export function hotText({ hotSeconds }: Pick<PeriodFigures, "hotSeconds">): string {
  return `${((100 * hotSeconds) / 86_400).toFixed(2)} %`;
}

/** Of validation and test days together, a mean of a day. */
export function together(
  { validation, test }: { readonly validation?: PeriodFigures; readonly test?: PeriodFigures },
  figure: (of: PeriodFigures) => number,
): number | undefined {
  const parts = [validation, test].filter((part) => part !== undefined);
  const days = parts.reduce((sum, part) => sum + part.days, 0);
  if (days === 0) return undefined;
  return parts.reduce((sum, part) => sum + part.days * figure(part), 0) / days;
}

/**
 * Today's on the days that no specification was chosen on; on the training days where there are no others yet, and
 * undefined where there are none at all.
 */
export function todayFigure(
  { today }: TuneResult,
  figure: (of: PeriodFigures) => number,
): number | undefined {
  const { training } = today;
  return together(today, figure) ?? (training.days === 0 ? undefined : figure(training));
}

/** Such as "28 days (17 training, 6 validation, 5 test)". */
export function splitText({ split }: TuneResult): string {
  const { whole, training, validation, test } = split;
  return `${whole} days (${training.length} training, ${validation.length} validation, ${test.length} test)`;
}

/** Such as "optimism 0.9 points", that of the first recommendation or of what came nearest. */
export function optimismText({ optimism }: TuneResult): string | undefined {
  if (optimism === undefined) return undefined;
  const points = (100 * optimism).toFixed(1);
  return `optimism ${Number(points) === 0 ? "0.0" : points.replace("-", "−")} points`;
}

/** What came nearest to a recommendation, and why it is none. */
export function nearestText({ rejected }: TuneResult): string | undefined {
  const [nearest] = rejected;
  return nearest === undefined ? undefined : `nearest failure: ${nearest.candidate.what} ${nearest.why}`;
}

/** A value beyond the last one that was tried may be better. */
function edgeTexts({ recommendations, space }: TuneResult): readonly string[] {
  const found = recommendations.flatMap(({ candidate }) =>
    candidate.changes.flatMap(({ parameter, to }) => {
      const values = space.find((one) => one.parameter === parameter)?.values ?? [];
      if (parameter !== "target" || ![values[0], values.at(-1)].includes(to)) return [];
      const end = to === values[0] ? "lowest" : "highest";
      return [`${parameter} ${to} is the ${end} that was tried: --space can go further`];
    }),
  );
  return [...new Set(found)];
}

/** What has to be known of the result before it is used. */
export function warningTexts(result: TuneResult): readonly string[] {
  const { split, trend, outlyingDays } = result;
  const change = `${Math.abs(100 * trend.change).toFixed(0)} % ${trend.change > 0 ? "above" : "below"}`;
  return [
    ...(split.isThin
      ? [`thin: fewer than 14 whole days, so only target and behavior are varied, and confidence is low`]
      : []),
    ...edgeTexts(result),
    ...(trend.isMoving
      ? [`the load moves: its mean in the second half is ${change} that of the first, so confidence is low`]
      : []),
    ...(outlyingDays.length === 0
      ? []
      : [
          `unlike the other days of their kind: ${outlyingDays.map(({ date, ratio }) => `${date} (× ${ratio.toFixed(1)})`).join(", ")}; candidates for the exclusions of a schedule`,
        ]),
    ...(split.leftOut.length === 0
      ? []
      : [`left out: ${split.leftOut.map(({ date, why }) => `${date} ${why}`).join(", ")}`]),
  ];
}

/** Such as "confidence of 1, 2 is medium: 15 whole days"; for those whose confidence is not the highest. */
export function confidenceTexts({ recommendations }: TuneResult): readonly string[] {
  const ranks = new Map<string, number[]>();
  for (const [index, { confidence, reasons }] of recommendations.entries()) {
    if (reasons.length === 0) continue;
    const why = `${confidence}: ${reasons.join(", ")}`;
    ranks.set(why, [...(ranks.get(why) ?? []), index + 1]);
  }
  return [...ranks].map(([why, own]) => `confidence of ${own.join(", ")} is ${why}`);
}

/** Such as "today 364 pod-h, short 2.1 pod-min a day". */
export function todayText(result: TuneResult): string {
  const podHours = todayFigure(result, (of) => of.podHours);
  const shortPodSeconds = todayFigure(result, (of) => of.shortPodSeconds);
  if (podHours === undefined || shortPodSeconds === undefined) return "today is unknown";
  return `today ${digits(podHours)} pod-h, short ${shortText({ shortPodSeconds })} pod-min a day`;
}

/** Where nothing is recommended. */
export function keepText({ recommendations, isComplete, rejected, tried }: TuneResult): string | undefined {
  if (recommendations.length > 0) return undefined;
  const tested = rejected.filter(({ stage }) => stage === "test").length;
  const looked =
    tested === 0
      ? `none of ${amount(tried)} candidates passed validation, and none`
      : `of ${amount(tried)} candidates ${tested} reached the test days, and none of them`;
  return isComplete
    ? `keep the current spec: ${looked} costs less and meets the objective on days that it was not chosen on`
    : "interrupted before any candidate passed all checks";
}

/** Such as "99.6 % of 40,218 steps, skill 0.78". */
export function openLoopText(openLoop: TuneOpenLoop | undefined): string | undefined {
  if (openLoop === undefined || openLoop.steps === 0) return undefined;
  const { steps, agreed, skill, clock } = openLoop;
  const share = (Math.floor((1000 * agreed) / steps) / 10).toFixed(1);
  const text = `${share} % of ${steps.toLocaleString("en-US")} steps, skill ${skill === undefined ? "not known" : skill.toFixed(2)}`;
  return clock === "unknown" ? `${text}; the clock is unknown, so the skill doesn't count` : text;
}

/** Why there is no result, with what it is about. */
export function refusalTexts(object: string, { message, days, control }: TuneRefusal): readonly string[] {
  const leftOut = (days?.leftOut ?? []).map(({ date, why }) => `${date} ${why}`);
  return [
    `${object}: no search: ${message}`,
    ...(leftOut.length === 0 ? [] : [`left out: ${leftOut.join(", ")}`]),
    ...(control === undefined ? [] : [`CONTROL     ${controlText(control)}`]),
  ];
}
