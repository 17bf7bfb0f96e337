// The figures of a backtest as words, for text and Markdown.
import type { BacktestReport, OpenLoop } from "./document.ts";

/** Such as "99.6 % of 40,218 steps". */
export function stepsText({ agreed, steps }: OpenLoop): string {
  return `${agreedText(agreed, steps)} of ${count(steps)} ${steps === 1 ? "step" : "steps"}`;
}

/** Not "100.0 %" unless all agree. */
function agreedText(agreed: number, steps: number): string {
  const tenths = Math.floor((1000 * agreed) / steps);
  return `${(tenths / 10).toFixed(1)} %`;
}

/** Such as "0.78". */
export function skillText({ skill }: OpenLoop): string {
  return skill === undefined ? "unknown: replicas never changed" : skill.toFixed(2);
}

/** Such as "402 of 412 (397 exact, 3 extra)". */
export function eventsText({ events }: OpenLoop): string {
  const { recorded, matched, exact, extra } = events;
  return `${count(matched)} of ${count(recorded)} (${count(exact)} exact, ${count(extra)} extra)`;
}

/** Such as "+0.1 %". */
export function podHoursText({ podHoursError }: OpenLoop): string {
  return podHoursError === undefined ? "not known" : shareText(podHoursError);
}

/** With its sign: "+0.1 %". */
export function shareText(share: number): string {
  const percent = (100 * share).toFixed(1);
  if (Number(percent) === 0) return "±0.0 %";
  return `${share > 0 ? "+" : "−"}${percent.replace("-", "")} %`;
}

/** Such as "3 mismatches: controller-restart 2, unexplained 1"; undefined where all agree. */
export function causesText({ steps, agreed, causes }: OpenLoop): string | undefined {
  const wrong = steps - agreed;
  if (wrong === 0) return undefined;
  const each = Object.entries(causes)
    .toSorted(([, a], [, b]) => b - a)
    .map(([cause, n]) => `${cause} ${count(n)}`);
  return `${count(wrong)} ${wrong === 1 ? "mismatch" : "mismatches"}: ${each.join(", ")}`;
}

/** Such as "2026-11-15T00:00:00Z to 2026-11-22T00:00:00Z". */
export function spanText({ from, to }: BacktestReport): string {
  return `${instant(from)} to ${instant(to)}`;
}

/** Such as "series", or "metrics[0] series, metrics[1] status". */
export function levelText({ level, levels = [] }: BacktestReport): string {
  if (level !== "mixed") return level;
  return levels.map((one, index) => `metrics[${index}] ${one}`).join(", ");
}

/** Such as "recovered: 15.021 s from 412 marks"; undefined where the inputs have their instants. */
export function clockText({ clock }: BacktestReport): string | undefined {
  if (clock === undefined) return undefined;
  const { state, periodMs, marks, why } = clock;
  if (state === "not-needed") return "not needed";
  if (state === "unknown") return `unknown: ${why ?? ""}`;
  const period = periodMs === undefined ? "" : `: ${(periodMs / 1000).toFixed(3)} s`;
  return `${state}${period}${marks === undefined ? "" : ` from ${count(marks)} marks`}`;
}

/** Such as "four phases: 98.7–99.4 % of steps, 16–27 of 85 events exact"; undefined with one. */
export function phasesText({ phases }: OpenLoop): string | undefined {
  const [first] = phases ?? [];
  if (phases === undefined || first === undefined) return undefined;
  const shares = phases.map(({ agreed, steps }) => agreedText(agreed, steps).replace(" %", ""));
  const exact = phases.map(({ events }) => events.exact);
  return `four phases: ${range(shares)} % of steps, ${range(exact.map(String))} of ${count(first.events.recorded)} events exact`;
}

function range(numbers: readonly string[]): string {
  const sorted = numbers.toSorted((a, b) => Number(a) - Number(b));
  const [low = "", high = ""] = [sorted[0], sorted.at(-1)];
  return low === high ? low : `${low}–${high}`;
}

/** Such as "14 of 5,760 steps have no samples near them, and are left out". */
export function leftOutText({ leftOut = 0, steps }: OpenLoop): string | undefined {
  if (leftOut === 0) return undefined;
  const all = count(leftOut + steps);
  return `${count(leftOut)} of ${all} steps ${leftOut === 1 ? "has" : "have"} no samples near, and ${leftOut === 1 ? "is" : "are"} left out`;
}

/** To the second. */
export function instant(text: string): string {
  return text.replace(/\.\d+Z$/, "Z");
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
