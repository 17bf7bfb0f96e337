// How output looks on this terminal: its width, its characters, its colors.
import { printable } from "@plimsoll/component-base/text";
import type { CliSeams } from "../seams.ts";

/** What a color says; never the only sign of it. */
export type Tone = "good" | "warning" | "bad" | "muted" | "strong";

/** How to write for the terminal. */
export interface Style {
  /** For prose: the terminal's; in a pipe those of COLUMNS, or 80; undefined: no line is too long. */
  readonly columns: number | undefined;
  /** For tables: the same, but undefined in a pipe without COLUMNS, so that awk and grep see every column. */
  readonly tableColumns: number | undefined;
  readonly isUtf8: boolean;
  /** Our own words and strings of the cluster, as this terminal can show them, without control characters. */
  readonly text: (text: string) => string;
  /** Text that is complete, in a color. */
  readonly paint: (tone: Tone, text: string) => string;
}

export type ColorMode = "auto" | "always" | "never";

const codes: Readonly<Record<Tone, string>> = {
  good: "32",
  warning: "33",
  bad: "31",
  muted: "2",
  strong: "1",
};

/** The style of the standard output. */
export function styleOf(seams: Pick<CliSeams, "terminal" | "env">, color: ColorMode): Style {
  const { isTty = false, columns, isUtf8 = true } = seams.terminal ?? {};
  const hasNoColor = (seams.env?.["NO_COLOR"] ?? "") !== "";
  const isColored = color === "always" || (color === "auto" && isTty && !hasNoColor);
  const isPiped = !isTty && seams.terminal !== undefined;
  const tableColumns = isPiped ? setColumns(seams.env) : columns;
  return {
    columns: isPiped ? (tableColumns ?? 80) : columns,
    tableColumns,
    isUtf8,
    text: (text) => (isUtf8 ? printable(text) : toAscii(printable(text))),
    paint: (tone, text) => (isColored && text !== "" ? `\u001b[${codes[tone]}m${text}\u001b[0m` : text),
  };
}

function setColumns(env: CliSeams["env"] = {}): number | undefined {
  const columns = Number(env["COLUMNS"]);
  return Number.isSafeInteger(columns) && columns >= 20 ? columns : undefined;
}

/** No width, no color, all characters: for files and tests. */
export const plainStyle: Style = {
  columns: undefined,
  tableColumns: undefined,
  isUtf8: true,
  text: printable,
  paint: (_, text) => text,
};

/** Signs of ours, and how they look where there is nothing but ASCII. */
const asciiForms: Readonly<Record<string, string>> = {
  "—": "-",
  "–": "-",
  "−": "-",
  "→": "->",
  "×": "x",
  "÷": "/",
  "⌈": "ceil(",
  "⌉": ")",
  "…": "...",
  "≥": ">=",
  "≤": "<=",
  "±": "+-",
  "·": "-",
  "²": "2",
  "’": "'",
  "“": '"',
  "”": '"',
};

/** The text in ASCII: what has no form there is a question mark. */
export function toAscii(text: string): string {
  return text.replaceAll(/[^\p{ASCII}]/gu, (char) => asciiForms[char] ?? "?");
}
