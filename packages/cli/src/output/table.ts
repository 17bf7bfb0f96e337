// Tables: two blanks between columns, upper-case headings, cells cut where a terminal is too narrow.
import { cutText } from "@plimsoll/core/redact";
import type { Style, Tone } from "./style.ts";
import { cut, padEnd, padStart, widthOf } from "./width.ts";

/** One column of a table of `T`. */
export interface Column<T> {
  readonly heading: string;
  readonly cell: (row: T) => Cell;
  readonly align?: "right";
  /** May be cut to this width on a narrow terminal; the last such column is cut first. */
  readonly shrinksTo?: number;
  /** At least so wide. */
  readonly minWidth?: number;
}

/** Text of a cell, with a color where it means something. */
export type Cell = string | { readonly text: string; readonly tone: Tone };

/** What does not apply, and what is not known. */
export const notApplicable = "—";
export const notKnown = "?";

export interface TableOptions {
  readonly style: Style;
  readonly hasHeadings: boolean;
  /** In front of each line. */
  readonly indent?: string;
}

/** The lines of a table, without the line ends. */
export function tableLines<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  options: TableOptions,
): readonly string[] {
  const { style, hasHeadings, indent = "" } = options;
  const body = rows.map((row) => columns.map((column) => textOf(column.cell(row), style)));
  const head = columns.map(({ heading }) => ({ text: style.text(heading), tone: "muted" as const }));
  const all = hasHeadings ? [head, ...body] : body;
  const widths = fit(
    columns.map(({ minWidth = 0 }, n) =>
      all.reduce((width, cells) => Math.max(width, widthOf(cells[n]?.text ?? "")), minWidth),
    ),
    columns,
    style.columns === undefined ? undefined : style.columns - widthOf(indent),
  );
  const mark = style.isUtf8 ? "…" : "...";
  return all.map((cells) => {
    const line = cells.map(({ text, tone }, n) => {
      const width = widths[n] ?? 0;
      const shown = cut(text, width, mark);
      const pad = columns[n]?.align === "right" ? padStart : padEnd;
      return painted(pad(shown, width), shown, tone, style);
    });
    return trimmed(`${indent}${line.join("  ")}`);
  });
}

function textOf(cell: Cell, style: Style): { readonly text: string; readonly tone: Tone | undefined } {
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

/** Takes from the columns that may be cut, from the last one on, until the line fits. */
function fit<T>(
  widths: readonly number[],
  columns: readonly Column<T>[],
  limit: number | undefined,
): readonly number[] {
  if (limit === undefined) return widths;
  const fitted = [...widths];
  let excess = fitted.reduce((sum, width) => sum + width + 2, -2) - limit;
  for (let n = columns.length - 1; n >= 0 && excess > 0; n -= 1) {
    const width = fitted[n] ?? 0;
    const taken = Math.min(excess, Math.max(0, width - (columns[n]?.shrinksTo ?? width)));
    fitted[n] = width - taken;
    excess -= taken;
  }
  return fitted;
}
