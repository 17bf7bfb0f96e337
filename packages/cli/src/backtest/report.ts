// A backtest as text: how far each autoscaler is reproduced, and where not.
import { printable } from "../printable.ts";
import type { BacktestDocument, BacktestMismatch, BacktestReport } from "./document.ts";
import {
  controlText,
  hotAboveText,
  otherwiseText,
  recordedCells,
  scoreHeadings,
  unknownTexts,
  whatIfCells,
} from "./what-if-text.ts";
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
    ...whatIfLines(report),
  ];
}

function whatIfLines(report: BacktestReport): readonly string[] {
  const { control, whatIfs = [] } = report;
  if (control === undefined) return [];
  const rows = [
    { name: "recorded", cells: recordedCells(control), more: undefined },
    ...whatIfs.map((whatIf) => ({
      name: whatIf.name,
      cells: whatIfCells(whatIf, control),
      more: otherwiseText(whatIf, control),
    })),
  ];
  const widths = scoreHeadings.map((heading, at) =>
    Math.max(heading.length, ...rows.map(({ cells }) => cells[at]?.length ?? 0)),
  );
  const width = Math.max(...rows.map(({ name }) => name.length));
  const line = (name: string, cells: readonly string[], more = ""): string =>
    [name.padEnd(width), ...cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)), more].join("  ").trimEnd();
  const hotAbove = hotAboveText(report);
  return [
    `CONTROL     ${controlText(control)}`,
    ...unknownTexts(report).map((text) => `NOT KNOWN   ${text}`),
    ...(hotAbove === undefined ? [] : [`ASSUMED     ${hotAbove}`]),
    line("", scoreHeadings),
    ...rows.map(({ name, cells, more }) => line(name, cells, more)),
  ];
}

function mismatchText({ at, recorded, ours, cause, evidence }: BacktestMismatch): string {
  return `${instant(at)}  recorded ${recorded}, ours ${ours}: ${cause}, ${evidence}`;
}
