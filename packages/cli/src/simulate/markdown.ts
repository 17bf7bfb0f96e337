// A simulation as Markdown, for a comment on a change.
import { markdownCell as cell } from "../output/markdown.ts";
import type { SimulateDocument } from "./document.ts";
import { amount, figures, spanText } from "./figures.ts";

/** A heading, the table, and what was expected. */
export function markdownReport(document: SimulateDocument): string {
  const { name, durationSeconds, runs, seed, columns, expectations, notes } = document;
  const row = (cells: readonly string[]) => `| ${cells.map(cell).join(" | ")} |`;
  const lines = [
    `### ${cell(name)}`,
    "",
    `${spanText(durationSeconds)}, ${runs === 1 ? "1 run" : `${runs} runs`}, seed ${seed}`,
    "",
    row(["Autoscaler", ...figures.map(({ heading }) => sentence(heading))]),
    row(["---", ...figures.map(() => "---:")]),
    ...columns.map((column) => row([column.name, ...figures.map(({ text }) => text(column, document))])),
    ...(expectations.length === 0 ? [] : [""]),
    ...expectations.map(
      ({ text, ok, found }) =>
        `- ${ok ? "ok" : "**failed**"}: ${cell(text)}, was ${found === undefined ? "not known" : amount(found)}`,
    ),
    ...notes.map((note) => `\n${cell(note)}`),
  ];
  return `${lines.join("\n")}\n`;
}

function sentence(heading: string): string {
  return heading.charAt(0) + heading.slice(1).toLowerCase();
}
