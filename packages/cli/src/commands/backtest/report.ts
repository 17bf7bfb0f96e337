// A backtest as text: how far each autoscaler is reproduced, and where not.
import type { Style } from "../../output/style.ts";
import { tableLines, withBelow } from "../../output/table.ts";
import { wrap } from "../../output/width.ts";
import type { BacktestDocument, BacktestMismatch, BacktestReport } from "./document.ts";
import {
  controlText,
  hotAboveText,
  rateText,
  type ScoreRow,
  scoreHeadings,
  scoreRows,
  unknownTexts,
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
export function textReport({ objects }: BacktestDocument, style: Style): string {
  const lines = objects.flatMap((report) => [
    ...objectLines(report, objects.length === 1).flatMap((line) => proseLines(line, style)),
    ...scoreTable(report, style),
  ]);
  return lines.map((line) => `${line}\n`).join("");
}

function proseLines(text: string, style: Style): readonly string[] {
  return wrap(style.text(text), style.columns ?? usualColumns, indent);
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
  const { control } = report;
  if (control === undefined) return [];
  const assumed = [hotAboveText(report), rateText(report)].filter((text) => text !== undefined);
  return [
    `CONTROL     ${controlText(control)}`,
    ...unknownTexts(report).map((text) => `NOT KNOWN   ${text}`),
    ...assumed.map((text) => `ASSUMED     ${text}`),
  ];
}

function scoreTable({ control, whatIfs = [] }: BacktestReport, style: Style): readonly string[] {
  if (control === undefined) return [];
  const rows = scoreRows(control, whatIfs);
  const table = tableLines(
    rows,
    [
      { heading: "", cell: ({ name }) => name, shrinksTo: 12 },
      ...scoreHeadings.map((heading, at) => ({
        heading,
        cell: ({ cells }: ScoreRow) => cells[at] ?? "",
      })),
    ],
    { style, hasHeadings: true },
  );
  return withBelow(table, true, (row) => {
    const text = rows[row]?.more;
    return text === undefined ? [] : proseLines(`  ${text}`, style);
  });
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
