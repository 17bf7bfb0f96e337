import type { StoredObject } from "../../src/storage/stored-object.ts";
import { type TableForOptions, tableFor } from "../../src/tables/index.ts";

export const nowMs = Date.parse("2026-05-01T10:00:00Z");

/** RFC 3339 text of so many seconds before `nowMs`. */
export function ago(seconds: number): string {
  return new Date(nowMs - seconds * 1000).toISOString().replace(".000Z", "Z");
}

/** The table as kubectl lays it out: upper-case headings, columns padded with three spaces between them. */
export function print(
  resource: string,
  objects: readonly StoredObject[],
  options: { wide?: boolean } & Partial<TableForOptions> = {},
): string {
  const table = tableFor(resource, objects, { nowMs, ...options });
  if (table === undefined) throw new Error(`no table for ${resource}`);
  const shown = table.columnDefinitions.map((column) => options.wide === true || column.priority === 0);
  const lines = [
    table.columnDefinitions.map((column) => column.name.toUpperCase()),
    ...table.rows.map((row) =>
      row.cells.map((cell) =>
        typeof cell === "string" ? cell : JSON.stringify(cell ?? "").replaceAll('"', ""),
      ),
    ),
  ].map((line) => line.filter((_, index) => shown[index] === true));
  const widths = (lines[0] ?? []).map((_, index) =>
    Math.max(...lines.map((line) => line[index]?.length ?? 0)),
  );
  return lines
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join("   ")
        .trimEnd(),
    )
    .join("\n");
}

/** A text block without its first and last line break and its indentation. */
export function block(text: string): string {
  const lines = text.split("\n").slice(1, -1);
  const indent = Math.min(...lines.map((line) => line.search(/\S/)));
  return lines.map((line) => line.slice(indent)).join("\n");
}
