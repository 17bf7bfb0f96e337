// Tables of goals: as text for a terminal, as Markdown for the page.
import type { GoalResult, Machine, Row } from "./result.ts";

type Column = readonly [title: string, of: (row: Row) => string];

function columnsOf({ rows, peer }: GoalResult): readonly Column[] {
  const columns: readonly (Column | undefined)[] = [
    ["", ({ what }) => what],
    ["measured", ({ measured }) => measured],
    rows.some(({ floor }) => floor !== undefined) ? ["floor", ({ floor = "" }) => floor] : undefined,
    peer === undefined ? undefined : [peer, (row) => row.peer ?? ""],
    ["goal", ({ goal = "" }) => goal],
    ["result", verdictOf],
  ];
  return columns.filter((column) => column !== undefined);
}

function verdictOf({ isMet }: Row): string {
  if (isMet === undefined) return "";
  return isMet ? "met" : "missed";
}

/** For a terminal. */
export function textTable(result: GoalResult): string {
  const columns = columnsOf(result);
  const cells = [
    columns.map(([title]) => title),
    ...result.rows.map((row) => columns.map(([, of]) => of(row))),
  ];
  const widths = columns.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const notes = result.notes.map((note) => `  ${note}`);
  return [
    `${result.id}  ${result.title}`,
    ...lines.map((line) => `  ${line}`),
    ...notes,
    `  ${machineLine(result.machine)}`,
  ].join("\n");
}

/** For the page: the table, and under it what it was measured with. */
export function markdownTable(result: GoalResult): string {
  const columns = columnsOf(result);
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(" | ")} |`;
  const bold = (cell: string) => (cell === "missed" ? "**missed**" : cell);
  const rows = result.rows.map((row) => line(columns.map(([, of]) => bold(of(row)))));
  const command = `\`${result.command}\``;
  const notes = result.notes.map((note) => ` ${note}.`).join("");
  return [
    line(columns.map(([title]) => title)),
    line(columns.map(() => "---")),
    ...rows,
    "",
    `${command}; ${machineLine(result.machine)}.${notes}`,
  ].join("\n");
}

function escaped(cell: string): string {
  return cell.replaceAll("|", "\\|").replaceAll("*", "\\*").replaceAll("\\*\\*missed\\*\\*", "**missed**");
}

function machineLine({ commit, at, cpu, cores, node, load }: Machine): string {
  return `commit ${commit}, ${at}, ${cores} cores of ${cpu}, Node ${node}, load average ${load[0]} before and ${load[1]} after`;
}
