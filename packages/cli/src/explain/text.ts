// An explanation for a terminal.
import { explain, metricRows, stepLines } from "@plimsoll/core";
import type { Style } from "../output/style.ts";
import { padEnd, widthOf, wrap } from "../output/width.ts";
import { assumptionLines, comparisonLines } from "./comparison.ts";
import { type Facts, sentenceOf } from "./facts.ts";
import { metricTable } from "./metric-table.ts";
import { titleOf } from "./title.ts";

export type Detail = "short" | "steps" | "full";

export interface TextOptions {
  readonly style: Style;
  readonly hasHeadings: boolean;
  readonly detail: Detail;
}

/** All of it, with the line end. */
export function explanationText(facts: Facts, options: TextOptions): string {
  const { style, detail } = options;
  const { columns } = style;
  const prose = (text: string): readonly string[] => wrap(style.text(text), columns, hangingIndent(text));
  const { summary } = facts;
  const parts: (readonly string[])[] = [
    [...titleLines(facts, style), ...toned(prose(sentenceOf(facts)), summary, style)],
    [...metricTable(facts, style, options.hasHeadings), ...queryLines(facts).flatMap(prose)],
    detail === "full" ? fullLines(facts, style) : stepPart(facts, options),
    lastLines(facts, detail).flatMap(prose),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

const sourceColumn = 63;

/** The object on the left, the source of the decision on the right or, on a narrow terminal, below. */
export function titleLines(facts: Pick<Facts, "explained" | "nowMs">, style: Style): readonly string[] {
  const { object, source } = titleOf(facts);
  const [left, right] = [style.text(object), style.text(source)];
  const wide = `${padEnd(left, sourceColumn - 2)}  ${right}`;
  const { columns } = style;
  if (columns === undefined || widthOf(wide) <= columns) return [wide];
  const narrow = `${left}  ${right}`;
  if (widthOf(narrow) <= columns) return [narrow];
  return [...wrap(left, columns, "  "), `  ${right}`];
}

function toned(
  lines: readonly string[],
  { action, heldBy }: Facts["summary"],
  style: Style,
): readonly string[] {
  const isBad = action === "none" && heldBy !== "disabled";
  return lines.map((line) => style.paint(isBad ? "bad" : "strong", line));
}

/** The PromQL of the metrics that have some. */
function queryLines({ decision }: Facts): readonly string[] {
  return metricRows(decision).flatMap(({ name, query }) =>
    query === undefined ? [] : [`    ${name}: ${query}`],
  );
}

const labelWidth = 11;

function stepPart(facts: Facts, { style, detail }: TextOptions): readonly string[] {
  const { summary, decision, nowMs } = facts;
  // Where nothing held the proposal, the table of metrics says it all.
  if (detail === "short" && summary.heldBy === "none") return [];
  return stepLines(decision, { every: detail === "steps", atMs: nowMs }).flatMap(({ name, text }) =>
    wrap(style.text(`  ${padEnd(name, labelWidth)}  ${text}`), style.columns, " ".repeat(labelWidth + 4)),
  );
}

/** Core's own explanation, with every pod. */
function fullLines({ decision }: Facts, style: Style): readonly string[] {
  return explain(decision)
    .split("\n")
    .flatMap((line) => wrap(style.text(line), style.columns, `${/^ */.exec(line)?.[0] ?? ""}    `));
}

function lastLines(facts: Facts, detail: Detail): readonly string[] {
  const { explained } = facts;
  const compared = comparisonLines(facts);
  const assumed = explained.source === "recomputed" ? assumptionLines(facts, detail !== "short") : [];
  if (explained.source !== "recorded") return [...compared, ...assumed, ...findingsText(facts, "")];
  const [first, ...rest] = compared;
  const closing = [
    ...(first === undefined ? [] : [`${first}.`]),
    ...findingsText(facts, "Findings: none."),
    ...(detail === "full" ? [] : ["Every pod and number: --full"]),
  ];
  return [closing.join(" "), ...rest];
}

function findingsText({ explained: { findings } }: Facts, none: string): readonly string[] {
  if (findings === undefined) return [];
  if (findings.length === 0) return none === "" ? [] : [none];
  return [`Findings: ${findings.map(({ id, title }) => `${id} ${title}`).join("; ")}.`];
}

/** Lines that go on stand under the first one's text. */
function hangingIndent(text: string): string {
  const [, lead = "", label = ""] = /^( +)(\S+ {2,})?/.exec(text) ?? [];
  return lead === "" ? "  " : " ".repeat(lead.length + label.length);
}
