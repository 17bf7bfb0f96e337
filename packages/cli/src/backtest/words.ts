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
  return skill === undefined ? "not known: the count never changed" : skill.toFixed(2);
}

/** Such as "402 of 412 (397 exact, 3 extra)". */
export function eventsText({ events }: OpenLoop): string {
  const { recorded, matched, exact, extra } = events;
  return `${count(matched)} of ${count(recorded)} (${count(exact)} exact, ${count(extra)} extra)`;
}

/** Such as "+0.1 %". */
export function podHoursText({ podHoursError }: OpenLoop): string {
  if (podHoursError === undefined) return "not known";
  const percent = (100 * podHoursError).toFixed(1);
  if (Number(percent) === 0) return "±0.0 %";
  return `${podHoursError > 0 ? "+" : "−"}${percent.replace("-", "")} %`;
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

/** To the second. */
export function instant(text: string): string {
  return text.replace(/\.\d+Z$/, "Z");
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
