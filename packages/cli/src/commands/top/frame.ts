// One picture of `top`: as many lines as the terminal has, or fewer.

import type { SummaryRow } from "@plimsoll/decisions";
import { timeText } from "../../output/age.ts";
import type { Style } from "../../output/style.ts";
import { cut } from "../../output/width.ts";
import { countsText, statusLines } from "../status/table.ts";
import type { TopState } from "./state.ts";

export interface FrameData {
  /** Sorted and filtered. */
  readonly rows: readonly SummaryRow[];
  readonly total: number;
  readonly counts: Readonly<Record<string, number>>;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly isWide: boolean;
  readonly intervalText: string;
  /** When the rows were read; undefined: not yet. */
  readonly readAtMs: number | undefined;
  readonly nowMs: number;
  /** Why the newest rows could not be read. */
  readonly error: string | undefined;
  /** In mode "explain"; undefined: it is being read. */
  readonly explanation: readonly string[] | undefined;
}

const columnsByDefault = 80;

export function frameLines(state: TopState, data: FrameData, screen: Screen): readonly string[] {
  const { style, rows } = screen;
  const columns = style.columns ?? columnsByDefault;
  const footer = footerLines(state, data, columns);
  const body = Math.max(1, rows - 1 - footer.length);
  const shown =
    state.mode === "explain"
      ? explanationLines(state, data, body)
      : listLines(state, data, { style: { ...style, columns: columns - marker.length }, rows: body });
  return [
    style.paint("muted", short(titleOf(state, data), columns, style)),
    ...shown,
    ...footer.map((line) =>
      style.paint(data.error === undefined ? "muted" : "bad", short(line, columns, style)),
    ),
  ];
}

export interface Screen {
  readonly style: Style;
  readonly rows: number;
}

const marker = "> ";
const noMarker = "  ";

function titleOf(state: TopState, { namespace, readAtMs, nowMs, intervalText }: FrameData): string {
  const read = readAtMs === undefined ? "reading" : `as of ${timeText(readAtMs, nowMs)}`;
  const where = namespace === undefined ? "all namespaces" : `namespace ${namespace}`;
  const filter = state.filter === "" && state.mode !== "filter" ? "" : `  filter /${state.filter}`;
  return `plimsoll top  ${where}  ${read}, every ${intervalText}  sort ${state.sort}${filter}`;
}

const listKeys = "arrows move  / filter  s sort  enter explain  q quit";

/** The sums and the keys; below each other where they do not fit. */
function footerLines(
  { mode }: TopState,
  { error, total, counts, rows }: FrameData,
  columns: number,
): readonly string[] {
  if (error !== undefined) return [`error: ${error}`];
  if (mode === "explain") return ["arrows scroll  q back"];
  if (mode === "filter") return ["enter keep  escape clear"];
  const sums = `${countsText(total, counts)}${rows.length === total ? "" : `; ${rows.length} shown`}`;
  const line = `${sums}  |  ${listKeys}`;
  return line.length <= columns ? [line] : [sums, listKeys];
}

function short(text: string, columns: number, style: Style): string {
  return cut(style.text(text), columns, style.isUtf8 ? "…" : "...");
}

function explanationLines({ scroll }: TopState, { explanation }: FrameData, rows: number): readonly string[] {
  return explanation === undefined ? ["reading"] : explanation.slice(scroll, scroll + rows);
}

/** The part of the table with the selected row. */
function listLines(state: TopState, data: FrameData, { style, rows }: Screen): readonly string[] {
  if (data.rows.length === 0) return [`${noMarker}${data.readAtMs === undefined ? "" : "no objects"}`];
  const selected = Math.min(state.selected, data.rows.length - 1);
  const visible = Math.max(1, rows - 1);
  for (let first = Math.max(0, selected - visible + 1); first < selected; first += 1) {
    const lines = tableFrom(first, { data, selected, style, visible });
    // Notes may take lines of their own.
    if (lines.findIndex(({ row }) => row === selected) < visible) return marked(lines, selected, rows);
  }
  return marked(tableFrom(selected, { data, selected, style, visible }), selected, rows);
}

interface TableLine {
  readonly text: string;
  /** Undefined: the heading, or a note below its row. */
  readonly row: number | undefined;
}

interface TablePart {
  readonly data: FrameData;
  readonly selected: number;
  readonly style: Style;
  readonly visible: number;
}

function tableFrom(first: number, { data, style, visible }: TablePart): readonly TableLine[] {
  const { isWide, nowMs, namespace } = data;
  const part = data.rows.slice(first, first + visible);
  const lines = statusLines(
    part,
    { hasNamespace: namespace === undefined, isWide, nowMs, hasHeadings: true },
    style,
  );
  let next = first;
  return lines.map((text, index) => {
    const isRow = index > 0 && !text.startsWith(" ");
    return { text, row: isRow ? next++ : undefined };
  });
}

/** The selected row has a sign, and is inverse. */
function marked(lines: readonly TableLine[], selected: number, rows: number): readonly string[] {
  return lines.slice(0, rows).map(({ text, row }) => {
    if (row !== selected) return `${noMarker}${text}`;
    return `\u001b[7m${marker}${text}\u001b[27m`;
  });
}
