// A backtest as text: how far each autoscaler is reproduced, and where not.
import { printable } from "@plimsoll/component-base/text";
import { wrap } from "../../output/width.ts";
import type { BacktestDocument, BacktestMismatch, BacktestReport } from "./document.ts";
import {
  controlText,
  hotAboveText,
  otherwiseText,
  rateText,
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

/** Of each cause. With more autoscalers than one their mismatches are in the other outputs. */
const shownMismatches = 3;
/** Of a pipe, too. */
const usualColumns = 80;
/** What goes on stands behind the heading. */
const indent = " ".repeat(12);

/** The whole report, with its line end. */
export function textReport({ objects }: BacktestDocument, columns = usualColumns): string {
  const lines = objects.flatMap((report) => objectLines(report, objects.length === 1));
  const wrapped = lines.flatMap((line) => wrap(printable(line), columns, indent));
  return wrapped.map((line) => `${line}\n`).join("");
}

function objectLines(report: BacktestReport, isOnly: boolean): readonly string[] {
  const { object, openLoop } = report;
  const [clock, phases, leftOut] = [clockText(report), phasesText(openLoop), leftOutText(openLoop)];
  const causes = causesText(openLoop);
  const figures = `${stepsText(openLoop)}, skill ${skillText(openLoop)}, events ${eventsText(openLoop)}, pod-hours ${podHoursText(openLoop)}`;
  const listed = isOnly ? chosenMismatches(openLoop.mismatches) : [];
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
  const assumed = [hotAboveText(report), rateText(report)].filter((text) => text !== undefined);
  return [
    `CONTROL     ${controlText(control)}`,
    ...unknownTexts(report).map((text) => `NOT KNOWN   ${text}`),
    ...assumed.map((text) => `ASSUMED     ${text}`),
    line("", scoreHeadings),
    ...rows.map(({ name, cells, more }) => line(name, cells, more)),
  ];
}

/** A few of each cause, the rarest first: what is unexplained is seldom among the first. */
function chosenMismatches(mismatches: readonly BacktestMismatch[]): readonly BacktestMismatch[] {
  return [...Map.groupBy(mismatches, ({ cause }) => cause).values()]
    .toSorted((a, b) => a.length - b.length)
    .flatMap((own) => own.slice(0, shownMismatches));
}

function mismatchText({ at, recorded, ours, cause, evidence }: BacktestMismatch): string {
  return `${instant(at)}  recorded ${recorded}, ours ${ours}: ${cause}, ${evidence}`;
}
