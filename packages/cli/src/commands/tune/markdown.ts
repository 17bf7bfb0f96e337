// A search as Markdown, for a comment on a change.
import { markdownCell as cell } from "../../output/markdown.ts";
import { controlText, hotAboveText, unknownTexts } from "../backtest/what-if-text.ts";
import type { TuneDocument, TuneResult } from "./document.ts";
import { forecastTexts } from "./forecast-text.ts";
import { rowHeadings, tuneRows } from "./rows.ts";
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

/** A heading, the table, and how far to believe it. */
export function markdownReport(document: TuneDocument): string {
  const { object, report, refusal, forecast, openLoop, command, notes, errors } = document;
  const reproduced = openLoopText(openLoop);
  const texts = [
    ...(refusal === undefined ? [] : refusalTexts(object, refusal)),
    ...(reproduced === undefined ? [] : [`Reproduced: ${reproduced}`]),
    ...(report === undefined ? [] : [`Control: ${controlText(report.control)}`]),
    ...unknownTexts(report ?? {}).map((text) => `Not known: ${text}`),
    ...[hotAboveText(document, usualLoad)].flatMap((text) => text ?? []),
    ...(forecast === undefined ? [] : forecastTexts(forecast)),
    ...errors,
    ...notes,
  ];
  const lines = [
    `### Tune ${cell(object)}`,
    ...(report === undefined ? [] : resultLines(report)),
    ...texts.map((text) => `\n${cell(text.replaceAll(/ {2,}/g, " "))}`),
    `\n\`${command.replaceAll("`", "'")}\``,
  ];
  return `${lines.join("\n")}\n`;
}

function resultLines(result: TuneResult): readonly string[] {
  const row = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  const ends = [
    keepText(result),
    ...confidenceTexts(result),
    optimismText(result),
    nearestText(result),
    ...warningTexts(result),
  ];
  return [
    "",
    cell(`${splitText(result)}, ${result.tried} candidates; ${todayText(result)}`),
    "",
    row(rowHeadings.map(([, heading]) => heading.charAt(0) + heading.slice(1).toLowerCase())),
    row(rowHeadings.map(([field]) => (field === "what" || field === "confidence" ? "---" : "---:"))),
    ...tuneRows(result).map((one) => row(rowHeadings.map(([field]) => one[field]))),
    ...ends.flatMap((text) => (text === undefined ? [] : [`\n${cell(text)}`])),
  ];
}
