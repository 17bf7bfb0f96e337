// Writes the table of packages for docs/developers/architecture.md: as a drawing and as a table.
import type { Row } from "./table.ts";

/** Markdown for the packages that exist. Entries of core are drawn as core. */
export function describePackages(rows: readonly Row[]): string {
  return `${drawing(rows)}\n\n${tableOf(rows)}`;
}

function drawing(rows: readonly Row[]): string {
  const drawn = rows.filter(({ mayImport }) => mayImport !== "anything" && mayImport.length > 0);
  const edges = drawn.flatMap((row) => directImports(row, rows).map((name) => `  ${row.name} --> ${name}`));
  return ["```mermaid", "flowchart TD", ...edges, "```"].join("\n");
}

/** The packages that a row names and that none of its other packages leads to. */
function directImports(row: Row, rows: readonly Row[]): readonly string[] {
  const named = packagesOf(row, rows);
  return named.filter((name) => !named.some((other) => other !== name && reaches(other, name, rows)));
}

function reaches(from: string, to: string, rows: readonly Row[]): boolean {
  const row = rows.find(({ name }) => name === from);
  return row !== undefined && packagesOf(row, rows).some((name) => name === to || reaches(name, to, rows));
}

function packagesOf(row: Row, rows: readonly Row[]): readonly string[] {
  if (row.mayImport === "anything") return [];
  const names = row.mayImport.map((entry) => entry.split("/")[0] ?? "");
  return [...new Set(names)].filter((name) => rows.some((other) => other.name === name));
}

function tableOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => `| \`${row.name}\` | ${row.what} | ${allowed(row, rows)} |`);
  return ["| package | what it is | may import |", "| --- | --- | --- |", ...lines].join("\n");
}

function allowed({ mayImport }: Row, rows: readonly Row[]): string {
  if (mayImport === "anything") return "anything";
  const existing = mayImport.filter((entry) => rows.some(({ name }) => name === entry.split("/")[0]));
  return existing.length === 0 ? "nothing" : existing.map((entry) => `\`${entry}\``).join(", ");
}
