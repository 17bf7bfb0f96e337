// A backtest as text: how far each autoscaler is reproduced, and where not.
import { printable } from "../printable.ts";
import type { BacktestDocument, BacktestMismatch, BacktestReport } from "./document.ts";
import {
  causesText,
  clockText,
  eventsText,
  instant,
  leftOutText,
  levelText,
  phasesText,
  podHoursText,
  skillText,
  spanText,
  stepsText,
} from "./words.ts";

/** With more autoscalers than one their mismatches are in the other outputs. */
const shownMismatches = 10;

/** The whole report, with its line end. */
export function textReport({ objects }: BacktestDocument): string {
  const lines = objects.flatMap((report) => objectLines(report, objects.length === 1));
  return lines.map((line) => `${printable(line)}\n`).join("");
}

function objectLines(report: BacktestReport, isOnly: boolean): readonly string[] {
  const { object, openLoop } = report;
  const [clock, phases, leftOut] = [clockText(report), phasesText(openLoop), leftOutText(openLoop)];
  const causes = causesText(openLoop);
  const figures = `${stepsText(openLoop)}, skill ${skillText(openLoop)}, events ${eventsText(openLoop)}, pod-hours ${podHoursText(openLoop)}`;
  const listed = isOnly ? openLoop.mismatches.slice(0, shownMismatches) : [];
  const more = isOnly ? openLoop.steps - openLoop.agreed - listed.length : 0;
  return [
    `${object}, ${spanText(report)}, level ${levelText(report)}${clock === undefined ? "" : `, clock ${clock}`}`,
    `REPRODUCED  ${figures}`,
    ...(phases === undefined ? [] : [`            ${phases}`]),
    ...(causes === undefined ? [] : [`            ${causes}`]),
    ...listed.map((mismatch) => `            ${mismatchText(mismatch)}`),
    ...(more > 0 ? [`            and ${more} more`] : []),
    ...(leftOut === undefined ? [] : [`NOT KNOWN   ${leftOut}`]),
  ];
}

function mismatchText({ at, recorded, ours, cause, evidence }: BacktestMismatch): string {
  return `${instant(at)}  recorded ${recorded}, ours ${ours}: ${cause}, ${evidence}`;
}
