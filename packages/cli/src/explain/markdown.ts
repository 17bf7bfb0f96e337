// The explanation as Markdown, for tickets.
import { explain } from "@plimsoll/core";
import { plainStyle } from "../output/style.ts";
import { assumptionLines, comparisonLines } from "./comparison.ts";
import type { Facts } from "./facts.ts";
import { headlineOf, titleOf } from "./headline.ts";
import { metricTitle, ratioText, targetText, valueText } from "./metric-words.ts";
import { stepLines } from "./step-lines.ts";
import type { Detail } from "./text.ts";

export function explanationMarkdown(facts: Facts, detail: Detail): string {
  const { object, source } = titleOf(facts);
  const blocks = [
    `**${escaped(object)}** (${escaped(source)})`,
    escaped(headlineOf(facts)),
    metricBlock(facts),
    detail === "full"
      ? explain(facts.decision, "markdown")
      : stepLines(facts, detail === "steps")
          .map(({ label, text }) => `- ${label}: ${escaped(text)}`)
          .join("\n"),
    [...comparisonLines(facts), ...assumptionLines(facts, true)]
      .map((line) => `- ${escaped(line.trim())}`)
      .join("\n"),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function metricBlock({ metrics, specs, summary }: Facts): string {
  if (metrics.length === 0) return "";
  const rows = metrics.map((trace) => [
    metricTitle(specs[trace.index], trace),
    valueText(trace) ?? "?",
    targetText(trace) ?? "?",
    ratioText(trace.first?.ratio) ?? "—",
    trace.replicas === undefined ? "—" : String(trace.replicas),
    summary.decidedBy === trace.index ? "decides" : (trace.error?.reason ?? ""),
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
