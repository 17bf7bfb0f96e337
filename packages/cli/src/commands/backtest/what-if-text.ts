// The counterfactual of a backtest as words, for text and Markdown.
import type { Control, PeakBand } from "@plimsoll/backtest";
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

/** Such as "each value is a rate over 60s". */
export function rateText({ assumptions = [] }: Pick<BacktestReport, "assumptions">): string | undefined {
  const found = assumptions.find(({ path }) => path === "metricWindow");
  if (found === undefined) return undefined;
  const what = found.value === "0s" ? "between two scrapes" : `over ${found.value}`;
  return `each value is a mean ${what}${found.source === "given" ? "" : ", as the recording says"}`;
}

export const scoreHeadings = ["POD-HOURS", "PEAK", "HOT", "SHORT POD-MIN", "EVENTS/DAY"] as const;

/** Of the recorded specification. */
export function recordedCells({ recorded, seconds }: BacktestControl): readonly string[] {
  return [
    amount(recorded.podHours),
    String(recorded.peak),
    percentText(recorded.hotSeconds, seconds),
    amount(recorded.shortPodSeconds / 60),
    amount(perDay(recorded, seconds)),
  ];
}

/** Beside what was recorded. */
export function whatIfCells(
  { scores, band }: BacktestWhatIf,
  { recorded, seconds }: BacktestControl,
): readonly string[] {
  const saved =
    recorded.podHours === 0 ? "" : ` (${savedText(scores.podHours, band.podHours, recorded.podHours)})`;
  const atLeast = band.hotSeconds.isAtLeast ? "at least " : "";
  const hot = bandText(band.hotSeconds, (value) => ((100 * value) / seconds).toFixed(2));
  const short = bandText(band.shortPodSeconds, (value) => amount(value / 60));
  return [
    `${amount(scores.podHours)}${saved}`,
    peakText(band.peak),
    `${atLeast}${hot} %`,
    `${atLeast}${short}`,
    amount(perDay(scores, seconds)),
  ];
}

/** Such as "with +20 % censored load: hot 0.20 %, short 3.1 pod-min, 412 pod-hours"; undefined where all is known. */
export function otherwiseText(
  { censored, atMaxIdle }: BacktestWhatIf,
  { seconds }: BacktestControl,
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

/** Such as "−14.8 %, −15.4…−14.1". */
function savedText(
  own: number,
  { low, high }: { readonly low: number; readonly high: number },
  recorded: number,
): string {
  const [from, to] = [low, high].map((hours) => shareText(hours / recorded - 1).replace(" %", ""));
  const share = shareText(own / recorded - 1);
  return from === to ? share : `${share}, ${from}…${to}`;
}

/** Such as "27 (26–29)". */
function peakText({ low, likely, high }: PeakBand): string {
  return low === high ? String(likely) : `${likely} (${low}–${high})`;
}

function bandText(
  { low, high }: { readonly low: number; readonly high: number },
  print: (value: number) => string,
): string {
  const [from, to] = [print(low), print(high)];
  return from === to ? from : `${from}–${to}`;
}

function percentText(part: number, seconds: number): string {
  return `${((100 * part) / seconds).toFixed(2)} %`;
}

function perDay({ events }: BacktestScores, seconds: number): number {
  return Math.round((events * 86_400) / seconds);
}
