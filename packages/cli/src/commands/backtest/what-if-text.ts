// The counterfactual of a backtest as words, for text and Markdown.
import type { Control } from "@plimsoll/backtest";
import { amount } from "../../output/amount.ts";
import type { BacktestControl, BacktestReport, BacktestScores, BacktestWhatIf } from "./document.ts";
import { shareText } from "./words.ts";

/** Such as "simulated as recorded: pod-hours −0.6 %, peak 64 (66), events 398 (412)". */
export function controlText({ recorded, simulated, podHoursError, isWithinBar }: Control): string {
  const figures = `pod-hours ${shareText(podHoursError)}, peak ${simulated.peak} (${recorded.peak}), events ${amount(simulated.events)} (${amount(recorded.events)})`;
  return `simulated as recorded: ${figures}${isWithinBar ? "" : ": too far from what was recorded"}`;
}

/** Such as "1.9 % of the time: load at maxReplicas is a lower bound". */
export function unknownTexts({ unknowns = [] }: Pick<BacktestReport, "unknowns">): readonly string[] {
  return unknowns.map(({ share, effect }) => {
    if (share >= 1) return effect;
    const percent = 100 * share;
    return `${percent < 0.1 ? "below 0.1" : percent.toFixed(1)} % of the time: ${effect}`;
  });
}

/** Such as "HOT is above 75 of a Ready pod, the highest that was recorded". */
export function hotAboveText(
  { assumptions = [] }: Pick<BacktestReport, "assumptions">,
  estimated = "the highest that was recorded",
): string | undefined {
  const found = assumptions.find(({ path }) => path === "hotAbove");
  if (found === undefined) return undefined;
  const value = Number(Number(found.value).toPrecision(4));
  const why = found.source === "given" ? "" : `, ${estimated}`;
  return `HOT is a load above ${value} of a Ready pod${why}`;
}

/** Such as "each value is a mean over 60s". */
export function rateText({ assumptions = [] }: Pick<BacktestReport, "assumptions">): string | undefined {
  const found = assumptions.find(({ path }) => path === "metricWindow");
  if (found === undefined) return undefined;
  const what = found.value === "0s" ? "between two scrapes" : `over ${found.value}`;
  return `each value is a mean ${what}${found.source === "given" ? "" : ", as the recording says"}`;
}

export const scoreHeadings = ["POD-HOURS", "PEAK", "HOT", "SHORT POD-MIN", "EVENTS/DAY"] as const;

/** What was recorded and, for each other specification, its likely figures, their ranges, and what another load gives. */
export function scoreRows(
  { recorded, seconds }: BacktestControl,
  whatIfs: readonly BacktestWhatIf[],
): readonly ScoreRow[] {
  const own = whatIfs.flatMap((whatIf): readonly ScoreRow[] => {
    const { name, scores, band } = whatIf;
    const saved = recorded.podHours === 0 ? "" : ` (${shareText(scores.podHours / recorded.podHours - 1)})`;
    const ranges = rangeCells(band, recorded, seconds);
    const rows: readonly ScoreRow[] = [
      { name, cells: scoreCells({ ...scores, peak: band.peak.likely }, seconds, saved) },
      ...(ranges.some((cell) => cell !== "") ? [{ name: "  range", cells: ranges }] : []),
    ];
    const more = otherwiseText(whatIf, { seconds });
    return rows.map((row, at) => (at === rows.length - 1 ? { ...row, more } : row));
  });
  return [{ name: "recorded", cells: scoreCells(recorded, seconds) }, ...own];
}

export interface ScoreRow {
  readonly name: string;
  /** By the headings. */
  readonly cells: readonly string[];
  readonly more?: string | undefined;
}

function scoreCells(scores: BacktestScores, seconds: number, saved = ""): readonly string[] {
  return [
    `${amount(scores.podHours)}${saved}`,
    String(scores.peak),
    percentText(scores.hotSeconds, seconds),
    amount(scores.shortPodSeconds / 60),
    amount(perDay(scores, seconds)),
  ];
}

/** Such as "−15.4…−14.1 %", "55–59", "0.01–0.04 %"; empty where both ends read the same. */
function rangeCells(
  { podHours, peak, hotSeconds, shortPodSeconds }: BacktestWhatIf["band"],
  recorded: BacktestScores,
  seconds: number,
): readonly string[] {
  const share = (hours: number) => shareText(hours / recorded.podHours - 1);
  const [from, to] = [share(podHours.low), share(podHours.high)];
  return [
    recorded.podHours === 0 || from === to ? "" : `${from.replace(" %", "")}…${to}`,
    bandText(peak, String),
    bandText(hotSeconds, (value) => percentText(value, seconds)).replace(" %–", "–"),
    bandText(shortPodSeconds, (value) => amount(value / 60)),
    "",
  ];
}

/** Such as "with +20 % censored load: hot 0.20 %, short 3.1 pod-min, 412 pod-hours"; undefined where all is known. */
function otherwiseText(
  { censored, atMaxIdle }: BacktestWhatIf,
  { seconds }: Pick<BacktestControl, "seconds">,
): string | undefined {
  const texts = [
    ...(censored === undefined
      ? []
      : [
          `with +${Math.round(100 * (censored.factor - 1))} % censored load: ${figuresText(censored.scores, seconds)}`,
        ]),
    ...(atMaxIdle === undefined
      ? []
      : [`with idle cpu ${amount(1000 * atMaxIdle.idle)}m: ${figuresText(atMaxIdle.scores, seconds)}`]),
  ];
  return texts.length === 0 ? undefined : texts.join("; ");
}

function figuresText({ hotSeconds, shortPodSeconds, podHours }: BacktestScores, seconds: number): string {
  return `hot ${percentText(hotSeconds, seconds)}, short ${amount(shortPodSeconds / 60)} pod-min, ${amount(podHours)} pod-hours`;
}

function bandText(
  {
    low,
    high,
    isAtLeast = false,
  }: { readonly low: number; readonly high: number; readonly isAtLeast?: boolean },
  print: (value: number) => string,
): string {
  const [from, to] = [print(low), print(high)];
  if (from === to) return isAtLeast ? "or more" : "";
  return `${isAtLeast ? "≥ " : ""}${from}–${to}`;
}

function percentText(part: number, seconds: number): string {
  return `${((100 * part) / seconds).toFixed(2)} %`;
}

function perDay({ events }: BacktestScores, seconds: number): number {
  return Math.round((events * 86_400) / seconds);
}
