// A backtest as Markdown, for a comment on a change.
import { markdownCell as cell } from "../output/markdown.ts";
import type { BacktestDocument, BacktestReport } from "./document.ts";
import {
  causesText,
  clockText,
  eventsText,
  levelText,
  podHoursText,
  skillText,
  spanText,
  stepsText,
} from "./words.ts";

/** A heading, a row for each autoscaler, and what is missing. */
export function markdownReport({ objects, notes, errors }: BacktestDocument): string {
  const lines = [
    "### Backtest",
    "",
    "| Autoscaler | Span | Level | Clock | Reproduced | Skill | Events | Pod-hours | Mismatches |",
    "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | --- |",
    ...objects.map(row),
    ...[...errors, ...notes].map((text) => `\n${cell(text)}`),
  ];
  return `${lines.join("\n")}\n`;
}

function row(report: BacktestReport): string {
  const { object, openLoop } = report;
  const cells = [
    object,
    spanText(report),
    levelText(report),
    clockText(report) ?? "exact",
    stepsText(openLoop),
    skillText(openLoop),
    eventsText(openLoop),
    podHoursText(openLoop),
    causesText(openLoop) ?? "none",
  ];
  return `| ${cells.map(cell).join(" | ")} |`;
}
