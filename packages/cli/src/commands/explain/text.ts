// An explanation for a terminal.
import { explain, type MetricRow, metricRows, stepLines, summarize } from "@plimsoll/core";
import { unitOf } from "@plimsoll/decisions";
import type { Explained, WithDecision } from "../../decisions/source.ts";
import { shownQuantity } from "../../output/metric-words.ts";
import type { Style } from "../../output/style.ts";
import { type Column, notApplicable, tableLines } from "../../output/table.ts";
import { padEnd, widthOf, wrap, wrapSentence } from "../../output/width.ts";
import { assumptionLines, comparisonLines } from "./comparison.ts";
import { remedyOf } from "./remedy.ts";
import { sentenceOf, titleOf, unsaidProblem } from "./title.ts";

export type Detail = "short" | "steps" | "full";

export interface TextOptions {
  readonly style: Style;
  readonly hasHeadings: boolean;
  readonly detail: Detail;
  readonly nowMs: number;
}

/** All of it, with the line end. */
export function explanationText(explained: WithDecision, options: TextOptions): string {
  const { style, detail, nowMs } = options;
  const { columns } = style;
  const prose = (text: string): readonly string[] => wrap(style.text(text), columns, hangingIndent(text));
  const summary = summarize(explained.decision);
  const remedy = remedyOf(explained, nowMs);
  const sentence = sentenceOf(explained, nowMs, remedy?.cause);
  const first = wrapSentence(style.text(sentence), columns, "  ");
  const parts: (readonly string[])[] = [
    [...toned(first, summary, style), ...titleLines(explained, style, nowMs)],
    [
      ...metricTable(explained, style, options.hasHeadings),
      ...[...errorLines(explained), ...queryTexts(explained).map((text) => `    ${text}`)].flatMap(prose),
    ],
    detail === "full" ? fullLines(explained, style) : stepPart(explained, summary, options),
    lastLines(explained, options, { sentence, hasRemedy: remedy !== undefined }).flatMap(prose),
    remedy === undefined ? [] : prose(`Fix: ${remedy.fix}`),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

const sourceColumn = 63;

/** The object on the left, the source of the decision on the right or, on a narrow terminal, below. */
export function titleLines(explained: Explained, style: Style, nowMs: number): readonly string[] {
  const { object, source } = titleOf(explained, nowMs);
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
  { action, heldBy }: ReturnType<typeof summarize>,
  style: Style,
): readonly string[] {
  const isBad = action === "none" && heldBy !== "disabled";
  return lines.map((line) => style.paint(isBad ? "bad" : "strong", line));
}

/** The API's own words. */
function errorLines({ decision }: WithDecision): readonly string[] {
  return metricRows(decision).flatMap(({ name, error }) =>
    error === undefined ? [] : [`    ${name}: ${error.reason}: ${error.message}`],
  );
}

/** The PromQL of the metrics that have some, and where a live one has its values from. */
export function queryTexts({ decision }: WithDecision): readonly string[] {
  return metricRows(decision).flatMap(({ name, query, live }) =>
    query === undefined ? [] : [`${name}${live === undefined ? "" : ` (live: ${live})`}: ${query}`],
  );
}

const labelWidth = 11;

function stepPart(
  { decision }: WithDecision,
  { heldBy }: ReturnType<typeof summarize>,
  { style, detail, nowMs }: TextOptions,
): readonly string[] {
  // Where nothing held the proposal, the table of metrics says it all.
  if (detail === "short" && heldBy === "none") return [];
  return stepLines(decision, { every: detail === "steps", atMs: nowMs }).flatMap(({ name, text }) =>
    wrap(style.text(`  ${padEnd(name, labelWidth)}  ${text}`), style.columns, " ".repeat(labelWidth + 4)),
  );
}

/** Core's own explanation, with every pod. */
function fullLines({ decision }: WithDecision, style: Style): readonly string[] {
  return explain(decision)
    .split("\n")
    .flatMap((line) => wrap(style.text(line), style.columns, `${/^ */.exec(line)?.[0] ?? ""}    `));
}

function lastLines(
  explained: WithDecision,
  { detail, nowMs }: TextOptions,
  { sentence, hasRemedy }: { readonly sentence: string; readonly hasRemedy: boolean },
): readonly string[] {
  const compared = comparisonLines(explained, nowMs);
  const assumed = explained.source === "recomputed" ? assumptionLines(explained, detail !== "short") : [];
  // The first line of a decision always has the reason of a failure.
  const problem = unsaidProblem(explained, sentence, true);
  const found = [...(problem === undefined ? [] : [`Problem: ${problem}.`]), ...findingsText(explained)];
  if (explained.source !== "recorded") return [...compared, ...assumed, ...found];
  const [first, ...rest] = compared;
  const closing = [
    ...(first === undefined ? [] : [`${first}.`]),
    ...(explained.findings !== undefined && found.length === 0 && !hasRemedy ? ["Findings: none."] : found),
  ];
  const hint = detail === "full" ? [] : ["Every pod and number: --full"];
  return [...(closing.length === 0 ? [] : [closing.join(" ")]), ...rest, ...hint];
}

function findingsText({ findings = [] }: Explained): readonly string[] {
  if (findings.length === 0) return [];
  return [`Findings: ${findings.map(({ id, title, fix }) => `${id} ${title}: ${fix}`).join("; ")}.`];
}

/** Lines that go on stand under the first one's text. */
function hangingIndent(text: string): string {
  const [, lead = "", label = ""] = /^( +)(\S+ {2,})?/.exec(text) ?? [];
  return lead === "" ? "  " : " ".repeat(lead.length + label.length);
}

const columns: readonly Column<MetricRow>[] = [
  {
    heading: "  METRIC",
    cell: ({ label, decides }) => `${decides ? "*" : " "} ${label}`,
    minWidth: 28,
    shrinksTo: 14,
  },
  { heading: "VALUE", cell: (row) => shownQuantity(row.value, unitOf(row).isBytes), minWidth: 6 },
  { heading: "TARGET", cell: (row) => shownQuantity(row.target, unitOf(row).isBytes), minWidth: 6 },
  { heading: "RATIO", cell: ({ ratioText = notApplicable }) => ratioText },
  {
    heading: "PROPOSED",
    align: "right",
    cell: ({ replicas }) => (replicas === undefined ? notApplicable : String(replicas)),
  },
  {
    heading: "",
    cell: ({ decides, error }) =>
      error === undefined ? (decides ? "decides" : "") : { text: "failed", tone: "bad" },
  },
];

/** The lines of the table; none without metrics. */
function metricTable({ decision }: WithDecision, style: Style, hasHeadings: boolean): readonly string[] {
  const rows = metricRows(decision);
  return rows.length === 0 ? [] : tableLines(rows, columns, { style, hasHeadings, indent: "  " });
}
