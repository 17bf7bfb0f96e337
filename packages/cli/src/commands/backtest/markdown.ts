// A backtest as Markdown, for a comment on a change.
import { markdownCell as cell } from "../../output/markdown.ts";
import type { BacktestDocument, BacktestReport } from "./document.ts";
import { controlText, hotAboveText, rateText, scoreRows, unknownTexts } from "./what-if-text.ts";
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
    ...objects.flatMap(whatIfRows),
    ...[...errors, ...notes].map((text) => `\n${cell(text)}`),
  ];
  return `${lines.join("\n")}\n`;
}

/** A table of its own: what was recorded, and what each other specification would have done. */
function whatIfRows(report: BacktestReport): readonly string[] {
  const { object, control, whatIfs = [] } = report;
  if (control === undefined) return [];
  const rows = scoreRows(control, whatIfs).map(({ name, cells, more = "" }) => [name.trim(), ...cells, more]);
  return [
    "",
    `**${cell(object)}**, ${cell(controlText(control))}`,
    "",
    "| Autoscaler | Pod-hours | Peak | Hot | Short pod-min | Events/day | |",
    "| --- | ---: | ---: | ---: | ---: | ---: | --- |",
    ...rows.map((cells) => `| ${cells.map(cell).join(" | ")} |`),
    ...[
      ...unknownTexts(report).map((text) => `Not known: ${text}`),
      ...[hotAboveText(report), rateText(report)].flatMap((text) => text ?? []),
    ].map((text) => `\n${cell(text)}`),
  ];
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
