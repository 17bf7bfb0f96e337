// The explanation as Markdown, for tickets.
import { explain, metricRows, stepLines } from "@plimsoll/core";
import { unitOf } from "@plimsoll/decisions";
import type { WithDecision } from "../../decisions/source.ts";
import { shownQuantity } from "../../output/metric-words.ts";
import { plainStyle } from "../../output/style.ts";
import { assumptionLines, comparisonLines } from "./comparison.ts";
import { type Detail, queryTexts } from "./text.ts";
import { sentenceOf, titleOf } from "./title.ts";

export function explanationMarkdown(explained: WithDecision, nowMs: number, detail: Detail): string {
  const { object, source } = titleOf(explained, nowMs);
  const blocks = [
    `**${escaped(object)}** (${escaped(source)})`,
    escaped(sentenceOf(explained, nowMs)),
    metricBlock(explained),
    queryTexts(explained)
      .map((text) => `- ${escaped(text)}`)
      .join("\n"),
    detail === "full"
      ? explain(explained.decision, "markdown")
      : stepLines(explained.decision, { every: detail === "steps", atMs: nowMs })
          .map(({ name, text }) => `- ${name}: ${escaped(text)}`)
          .join("\n"),
    [...comparisonLines(explained, nowMs), ...assumptionLines(explained, true)]
      .map((line) => `- ${escaped(line.trim())}`)
      .join("\n"),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function metricBlock({ decision }: WithDecision): string {
  const metrics = metricRows(decision);
  if (metrics.length === 0) return "";
  const rows = metrics.map((row) => [
    row.label,
    shownQuantity(row.value, unitOf(row).isBytes),
    shownQuantity(row.target, unitOf(row).isBytes),
    row.ratioText ?? "—",
    row.replicas === undefined ? "—" : String(row.replicas),
    row.decides ? "decides" : (row.error?.reason ?? ""),
  ]);
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const head = ["metric", "value", "target", "ratio", "proposed", ""];
  return [line(head), line(head.map(() => "---")), ...rows.map((cells) => line(cells.map(escaped)))].join(
    "\n",
  );
}

/** Names of a cluster cannot break out. */
function escaped(text: string): string {
  return plainStyle.text(text).replaceAll(/[\\`*_[\]<>|]/g, (char) => `\\${char}`);
}
