// Tables: two blanks between columns, upper-case headings, cells cut where a terminal is too narrow.
import { stripVTControlCharacters } from "node:util";
import { cutText } from "@plimsoll/core/redact";
import type { Style, Tone } from "./style.ts";
import { cut, padEnd, padStart, widthOf } from "./width.ts";

/** One column of a table of `T`. */
export interface Column<T> {
  readonly heading: string;
  readonly cell: (row: T) => Cell;
  readonly align?: "right";
  /** May be cut to this width where the table is too wide; the last such column is cut first. */
  readonly shrinksTo?: number;
  /** Is left out where that is not enough, the lowest number first. */
  readonly drops?: number;
  /** May be cut to this width where nothing more can be left out. */
  readonly cutsTo?: number;
  /** At least so wide. */
  readonly minWidth?: number;
}

/** Text of a cell, with a color where it means something. */
export type Cell = string | { readonly text: string; readonly tone: Tone };

/** What does not apply, and what is unknown. */
export const notApplicable = "—";
export const notKnown = "?";

export interface TableOptions {
  readonly style: Style;
  readonly hasHeadings: boolean;
  /** Leaves out no column, and cuts only those that may be cut at once. */
  readonly isWhole?: boolean;
  /** In front of each line. */
  readonly indent?: string;
}

/** Whether each line has room. */
export function fits(lines: readonly string[], { tableColumns = Infinity }: Style): boolean {
  return lines.every((line) => widthOf(stripVTControlCharacters(line)) <= tableColumns);
}

/** The lines of a table, with what `below` has of each row below it. */
export function withBelow(
  lines: readonly string[],
  hasHeadings: boolean,
  below: (row: number) => readonly string[],
): readonly string[] {
  const first = hasHeadings ? 1 : 0;
  return lines.flatMap((line, at) => (at < first ? [line] : [line, ...below(at - first)]));
}

/** The lines of a table, without the line ends. */
export function tableLines<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  options: TableOptions,
): readonly string[] {
  const { style, hasHeadings, indent = "", isWhole = false } = options;
  const limit = style.tableColumns === undefined ? undefined : style.tableColumns - widthOf(indent);
  const mark = style.isUtf8 ? "…" : "...";
  const filled = columns.map((column): Filled => {
    const { heading, cell, align, minWidth = 0 } = column;
    const head = { text: style.text(heading), tone: "muted" as const };
    const cells = [...(hasHeadings ? [head] : []), ...rows.map((row) => textOf(cell(row), style))];
    const width = cells.reduce((most, { text }) => Math.max(most, widthOf(text)), minWidth);
    return { ...column, cells, width, pad: align === "right" ? padStart : padEnd };
  });
  const shown = limit === undefined ? filled : shrunk(isWhole ? filled : chosen(filled, limit), limit);
  return Array.from({ length: rows.length + (hasHeadings ? 1 : 0) }, (_, line) => {
    const parts = shown.map(({ cells, width, pad }) => {
      const { text = "", tone } = cells[line] ?? {};
      const short = cut(text, width, mark);
      return painted(pad(short, width), short, tone, style);
    });
    return trimmed(`${indent}${parts.join("  ")}`);
  });
}

interface CellText {
  readonly text: string;
  readonly tone: Tone | undefined;
}

/** A column with its texts, the heading's first. */
interface Filled extends Pick<Column<never>, "shrinksTo" | "drops" | "cutsTo"> {
  readonly cells: readonly CellText[];
  readonly width: number;
  readonly pad: (text: string, width: number) => string;
}

function textOf(cell: Cell, style: Style): CellText {
  // The longest text makes the column as wide, in each of its rows.
  return typeof cell === "string"
    ? { text: style.text(cutText(cell)), tone: undefined }
    : { text: style.text(cutText(cell.text)), tone: cell.tone };
}

/** Only the text is colored, not the blanks beside it. */
function painted(padded: string, text: string, tone: Tone | undefined, style: Style): string {
  return tone === undefined || text === "" ? padded : padded.replace(text, () => style.paint(tone, text));
}

function trimmed(line: string): string {
  return line.replace(/ +$/, "");
}

/** Without those that the limit leaves no room for, and the others with what may be cut of them. */
function chosen(columns: readonly Filled[], limit: number): readonly Filled[] {
  const least = (kept: readonly Filled[]): number =>
    kept.reduce((sum, { width, shrinksTo = width }) => sum + Math.min(width, shrinksTo) + 2, -2);
  const ranks = columns.flatMap(({ drops }) => drops ?? []).sort((a, b) => a - b);
  let kept = columns;
  for (const rank of ranks) {
    if (least(kept) <= limit) break;
    kept = kept.filter(({ drops }) => drops !== rank);
  }
  if (least(kept) > limit)
    kept = kept.map((column) =>
      column.cutsTo === undefined ? column : { ...column, shrinksTo: column.cutsTo },
    );
  return kept;
}

/** Takes from the columns that may be cut, from the last one on, until the line fits. */
function shrunk(columns: readonly Filled[], limit: number): readonly Filled[] {
  let excess = columns.reduce((sum, { width }) => sum + width + 2, -2) - limit;
  return columns
    .toReversed()
    .map((column) => {
      const { width, shrinksTo = width } = column;
      const taken = Math.max(0, Math.min(excess, width - shrinksTo));
      excess -= taken;
      return { ...column, width: width - taken };
    })
    .toReversed();
}
