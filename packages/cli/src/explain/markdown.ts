// The explanation as Markdown, for tickets.
import { explain, metricRows, stepLines } from "@plimsoll/core";
import { plainStyle } from "../output/style.ts";
import { assumptionLines, comparisonLines } from "./comparison.ts";
import { type Facts, sentenceOf } from "./facts.ts";
import { shownQuantity } from "./metric-words.ts";
import type { Detail } from "./text.ts";
import { titleOf } from "./title.ts";

export function explanationMarkdown(facts: Facts, detail: Detail): string {
  const { object, source } = titleOf(facts);
  const blocks = [
    `**${escaped(object)}** (${escaped(source)})`,
    escaped(sentenceOf(facts)),
    metricBlock(facts),
    queryBlock(facts),
    detail === "full"
      ? explain(facts.decision, "markdown")
      : stepLines(facts.decision, { every: detail === "steps", atMs: facts.nowMs })
          .map(({ name, text }) => `- ${name}: ${escaped(text)}`)
          .join("\n"),
    [...comparisonLines(facts), ...assumptionLines(facts, true)]
      .map((line) => `- ${escaped(line.trim())}`)
      .join("\n"),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function metricBlock({ decision }: Facts): string {
  const metrics = metricRows(decision);
  if (metrics.length === 0) return "";
  const rows = metrics.map(({ label, value, target, ratioText, replicas, decides, error }) => [
    label,
    shownQuantity(value),
    shownQuantity(target),
    ratioText ?? "—",
    replicas === undefined ? "—" : String(replicas),
    decides ? "decides" : (error?.reason ?? ""),
  ]);
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const head = ["metric", "value", "target", "ratio", "proposed", ""];
  return [line(head), line(head.map(() => "---")), ...rows.map((cells) => line(cells.map(escaped)))].join(
    "\n",
  );
}

function queryBlock({ decision }: Facts): string {
  return metricRows(decision)
    .flatMap(({ name, query }) => (query === undefined ? [] : [`- ${escaped(`${name}: ${query}`)}`]))
    .join("\n");
}

/** Names of a cluster cannot break out. */
function escaped(text: string): string {
  return plainStyle.text(text).replaceAll(/[\\`*_[\]<>|]/g, (char) => `\\${char}`);
}
