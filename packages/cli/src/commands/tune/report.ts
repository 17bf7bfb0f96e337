// A search as text: what is better and by how much, what was not recommended, and what is unknown.
import { amount } from "../../output/amount.ts";
import type { Style } from "../../output/style.ts";
import { type Column, fits, tableLines, withBelow } from "../../output/table.ts";
import { wrap } from "../../output/width.ts";
import { controlText, hotAboveText, unknownTexts } from "../backtest/what-if-text.ts";
import { instant } from "../backtest/words.ts";
import type { TuneDocument, TuneResult } from "./document.ts";
import { forecastTexts } from "./forecast-text.ts";
import { rowHeadings, type TuneRow, tuneRows } from "./rows.ts";
import {
  confidenceTexts,
  keepText,
  nearestText,
  openLoopText,
  optimismText,
  refusalTexts,
  splitText,
  todayText,
  usualLoad,
  warningTexts,
} from "./words.ts";

/** The whole report, with its line end. It took so long. */
export function textReport(document: TuneDocument, tookMs: number, style: Style): string {
  const { object, from, to, report, refusal, forecast } = document;
  const lines = [
    ...(report === undefined ? [] : resultLines(object, report, { tookMs, style })),
    ...[
      ...(refusal === undefined ? [] : refusalTexts(object, refusal)),
      ...(report === undefined && refusal === undefined
        ? [`${object}: ${instant(from)} to ${instant(to)}`]
        : []),
      ...beliefLines(document),
      ...(forecast === undefined ? [] : forecastTexts(forecast)),
    ].flatMap((text) => wrap(style.text(text), style.columns, " ".repeat(12))),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function resultLines(
  object: string,
  result: TuneResult,
  { tookMs, style }: { readonly tookMs: number; readonly style: Style },
): readonly string[] {
  const head = `${object}: ${splitText(result)}, ${amount(result.tried)} candidates, ${tookText(tookMs)}; ${todayText(result)}`;
  const ends = [optimismText(result), nearestText(result)].filter((text) => text !== undefined);
  const texts = [
    keepText(result),
    ...confidenceTexts(result),
    ends.length === 0 ? undefined : ends.join("; "),
    ...warningTexts(result),
  ];
  return [
    ...wrapped(head, style),
    ...rowLines(tuneRows(result), style),
    ...texts.flatMap((text) => (text === undefined ? [] : wrapped(text, style))),
  ];
}

/** "41 s", "2 min 5 s". */
function tookText(tookMs: number): string {
  const seconds = Math.round(tookMs / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

function wrapped(text: string, style: Style): readonly string[] {
  return wrap(style.text(text), style.columns, "   ");
}

/** What is changed is never cut: on a narrow terminal it has lines of its own. */
function rowLines(rows: readonly TuneRow[], style: Style): readonly string[] {
  const all = rowHeadings.map(([field, heading]) => columnOf(field, heading));
  const options = { style: { ...style, tableColumns: undefined }, hasHeadings: true };
  const wide = tableLines(rows, all, options);
  if (fits(wide, style)) return wide;
  const narrow = tableLines(rows, all.slice(0, -1), options);
  return withBelow(narrow, true, (row) => wrapped(`   ${rows[row]?.what ?? ""}`, style));
}

function columnOf(field: keyof TuneRow, heading: string): Column<TuneRow> {
  return { heading, cell: (row) => ({ text: row[field], tone: tones[row.kind] }) };
}

const tones = { recommended: "good", today: "strong", rejected: "muted" } as const;

/** How far to believe it. */
function beliefLines(document: TuneDocument): readonly string[] {
  const { report, openLoop } = document;
  const [hotAbove, reproduced] = [hotAboveText(document, usualLoad), openLoopText(openLoop)];
  return [
    ...(reproduced === undefined ? [] : [`REPRODUCED  ${reproduced}`]),
    ...(report === undefined ? [] : [`CONTROL     ${controlText(report.control)}`]),
    ...unknownTexts(report ?? {}).map((text) => `NOT KNOWN   ${text}`),
    ...(hotAbove === undefined ? [] : [`ASSUMED     ${hotAbove}`]),
  ];
}
