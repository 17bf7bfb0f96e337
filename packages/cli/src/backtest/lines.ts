// A backtest of many autoscalers as text: a line each.
import type { Style } from "../output/style.ts";
import { type Column, tableLines } from "../output/table.ts";
import type { BacktestReport } from "./document.ts";
import { causesText, clockText, eventsText, levelText, podHoursText, skillText, stepsText } from "./words.ts";

const columns: readonly Column<BacktestReport>[] = [
  { heading: "AUTOSCALER", cell: ({ object }) => object },
  { heading: "LEVEL", cell: levelText },
  { heading: "CLOCK", cell: (report) => report.clock?.state ?? clockText(report) ?? "exact" },
  { heading: "REPRODUCED", cell: ({ openLoop }) => stepsText(openLoop) },
  { heading: "SKILL", cell: ({ openLoop }) => (openLoop.skill === undefined ? "-" : skillText(openLoop)) },
  { heading: "EVENTS", cell: ({ openLoop }) => eventsText(openLoop) },
  { heading: "POD-HOURS", cell: ({ openLoop }) => podHoursText(openLoop) },
  { heading: "MISMATCHES", cell: ({ openLoop }) => causesText(openLoop) ?? "none", shrinksTo: 12 },
];

/** The table, the worst first, with its line end. */
export function linesReport(objects: readonly BacktestReport[], style: Style): string {
  const lines = tableLines(objects, columns, { style, hasHeadings: objects.length > 0 });
  return lines.map((line) => `${line}\n`).join("");
}
