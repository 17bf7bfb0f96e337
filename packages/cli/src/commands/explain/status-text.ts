// What the status and the events of an object say, where its decision may not be made again.
import { ageText, counted } from "@plimsoll/core/internal/values";
import { maxQueries } from "@plimsoll/core/queries";
import type { Explained } from "../../decisions/source.ts";
import { statusMetrics, statusSummary } from "../../decisions/status-summary.ts";
import { ageOf } from "../../output/age.ts";
import type { Style } from "../../output/style.ts";
import { type Column, tableLines } from "../../output/table.ts";
import { wrap, wrapSentence } from "../../output/width.ts";
import { type Condition, remedyOf } from "./remedy.ts";
import { titleLines } from "./text.ts";
import { unsaidProblem } from "./title.ts";

const columns: readonly Column<Condition>[] = [
  { heading: "CONDITION", cell: ({ type }) => type },
  { heading: "STATUS", cell: ({ status }) => status },
  { heading: "REASON", cell: ({ reason = "" }) => reason },
  { heading: "MESSAGE", cell: ({ message = "" }) => message, shrinksTo: 20 },
];

/** All of it, with the line end: no arithmetic is made up. */
export function statusText(explained: Explained, { style, hasHeadings, nowMs }: StatusTextOptions): string {
  const { served, notes, errors = [] } = explained;
  const summary = statusSummary(served);
  const remedy = remedyOf(explained, nowMs);
  const wanted =
    summary.desired === summary.current ? `staying at ${summary.desired}` : `${summary.desired} wanted`;
  const scaled = ageOf(isoOf(served?.status?.lastScaleTime), nowMs);
  const cause = remedy?.cause === undefined ? "" : `: ${remedy.cause}`;
  const last = scaled === undefined ? "" : `; last scaled ${scaled} ago`;
  const sentence = `${counted(summary.current, "replica")}, ${wanted}${cause}${last}`;
  const problem = unsaidProblem(explained, sentence, cause !== "");
  const metrics = statusMetrics(served).map(
    ({ name, value, target, error }) =>
      `  ${name}  ${value ?? "?"} of ${target ?? "?"}${value === undefined && error !== undefined ? `  ${error}` : ""}`,
  );
  const conditions = tableLines(served?.status?.conditions ?? [], columns, {
    style,
    hasHeadings,
    indent: "  ",
  });
  const parts: readonly (readonly string[])[] = [
    [...wrapSentence(style.text(sentence), style.columns, "  "), ...titleLines(explained, style, nowMs)],
    [...metrics, ...queryLines(explained)].flatMap((line) => wrap(style.text(line), style.columns, "    ")),
    conditions.length === (hasHeadings ? 1 : 0) ? ["no controller has written a status yet"] : conditions,
    eventLines(explained, style, nowMs),
    (problem === undefined ? [] : [`Problem: ${problem}.`]).flatMap((line) =>
      wrap(style.text(line), style.columns, "  "),
    ),
    [...errors, ...notes].flatMap((note) => wrap(style.text(`Not recomputed: ${note}`), style.columns, "  ")),
    remedy === undefined ? [] : wrap(style.text(`Fix: ${remedy.fix}`), style.columns, "  "),
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}

/** The PromQL of queries, as status.queries has it: what was sent. */
function queryLines({ served }: Explained): readonly string[] {
  const { queries } = (served?.status ?? {}) as { readonly queries?: unknown };
  return (Array.isArray(queries) ? (queries as readonly unknown[]) : [])
    .slice(0, maxQueries)
    .flatMap((one) => {
      const { name, query } = (one ?? {}) as { readonly name?: unknown; readonly query?: unknown };
      return typeof name === "string" && typeof query === "string" ? [`    ${name}: ${query}`] : [];
    });
}

const maxEvents = 5;

function eventLines({ events = [] }: Explained, style: Style, nowMs: number): readonly string[] {
  if (events.length === 0) return [];
  const rows = events.slice(-maxEvents).map(({ reason, message, atMs }) => {
    const age = ageText(Math.max(0, nowMs - atMs));
    return wrap(style.text(`  ${age}  ${reason}  ${message}`), style.columns, "      ");
  });
  return ["Events:", ...rows.flat()];
}

export interface StatusTextOptions {
  readonly style: Style;
  readonly hasHeadings: boolean;
  readonly nowMs: number;
}

function isoOf(at: string | { toISOString(): string } | null | undefined): string | undefined {
  return typeof at === "object" ? at?.toISOString() : at;
}
