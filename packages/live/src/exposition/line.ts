// Reads one line of a series: in the Prometheus text format 0.0.4, or in OpenMetrics 1.0.
import { readFloat } from "../float.ts";

export type Format = "prometheus" | "openmetrics";

/** Of `# TYPE`, as far as labels depend on it. */
export type MetricType = "histogram" | "summary" | "other";

/** The part of a line before its value. */
export interface SeriesText {
  readonly name: string;
  readonly labels: readonly (readonly [name: string, value: string])[];
}

interface Spelling {
  /** What may be between two parts of a series. */
  readonly blank: RegExp;
  /** What follows a series: value and time, and in OpenMetrics an exemplar, which is read over. */
  readonly end: RegExp;
  readonly msPerUnit: number;
}

const spellings: Readonly<Record<Format, Spelling>> = {
  prometheus: { blank: /[ \t]*/y, end: /[ \t]*([^{ \t]+)(?:[ \t]+(\d+))?[ \t]*$/y, msPerUnit: 1 },
  openmetrics: { blank: /(?:)/y, end: / ([^ ]+)(?: (?!# \{)([^ ]+))?(?: # \{.*)?$/y, msPerUnit: 1_000 },
};

const NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const LABEL = /[a-zA-Z_][a-zA-Z0-9_]*/y;
const QUOTED = /"((?:\\.|[^\\"])*)"/y;

/** A place in a line. */
interface Cursor {
  readonly line: string;
  readonly blank: RegExp;
  at: number;
}

/** Where the value begins; -1 when the braces are not closed. Needed to know a series without reading it. */
export function endOfSeries(line: string): number {
  const brace = line.indexOf("{");
  const blank = line.search(/[ \t]/);
  const isBare = brace < 0 || (blank >= 0 && blank < brace && line.slice(blank, brace).trim() !== "");
  if (isBare) return blank;
  let isQuoted = false;
  for (let at = brace + 1; at < line.length; at += 1) {
    const char = line[at];
    if (isQuoted && char === "\\") at += 1;
    else if (char === '"') isQuoted = !isQuoted;
    else if (char === "}" && !isQuoted) return at + 1;
  }
  return -1;
}

/** Undefined when Prometheus would not read it. */
export function readSeries(text: string, format: Format, type: MetricType): SeriesText | undefined {
  const cursor: Cursor = { line: text, blank: spellings[format].blank, at: 0 };
  const name = take(cursor, NAME)?.[0];
  if (cursor.at === text.length) return name === undefined ? undefined : { name, labels: [] };
  skipBlank(cursor);
  const braces = takeChar(cursor, "{") ? readBraces(cursor, format) : undefined;
  if (braces === undefined || cursor.at < text.length) return undefined;
  const names = [...(name === undefined ? [] : [name]), ...braces.names];
  const isUnique = new Set(braces.labels.map(([label]) => label)).size === braces.labels.length;
  const [only] = names;
  if (only === undefined || names.length > 1 || !isUnique) return undefined;
  return {
    name: only,
    labels: braces.labels.map(([label, value]) => [label, normalized(type, label, value)]),
  };
}

interface Braces {
  readonly names: string[];
  readonly labels: [string, string][];
}

function readBraces(cursor: Cursor, format: Format): Braces | undefined {
  const found: Braces = { names: [], labels: [] };
  for (;;) {
    skipBlank(cursor);
    if (takeChar(cursor, "}")) return found;
    if (!readLabel(cursor, found)) return undefined;
    skipBlank(cursor);
    const isLast = !takeChar(cursor, ",");
    // The older format does without commas, too.
    if (isLast && format === "openmetrics" && cursor.line[cursor.at] !== "}") return undefined;
  }
}

/** A label with its value, or the name of the metric in quotes. */
function readLabel(cursor: Cursor, { names, labels }: Braces): boolean {
  const quoted = take(cursor, QUOTED)?.[1];
  const label = quoted === undefined ? take(cursor, LABEL)?.[0] : unescaped(quoted);
  if (label === undefined) return false;
  skipBlank(cursor);
  if (quoted !== undefined && /[,}]/.test(cursor.line[cursor.at] ?? "")) {
    names.push(label);
    return true;
  }
  if (!takeChar(cursor, "=")) return false;
  skipBlank(cursor);
  const value = take(cursor, QUOTED)?.[1];
  if (value === undefined) return false;
  labels.push([label, unescaped(value)]);
  return true;
}

function take(cursor: Cursor, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.line);
  if (found === null) return undefined;
  cursor.at = pattern.lastIndex;
  return found;
}

function takeChar(cursor: Cursor, char: string): boolean {
  if (cursor.line[cursor.at] !== char) return false;
  cursor.at += 1;
  return true;
}

function skipBlank(cursor: Cursor): void {
  take(cursor, cursor.blank);
}

/** Other escapes stay as they are. */
function unescaped(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(/\\(["\\n])/g, (_, char: string) => (char === "n" ? "\n" : char));
}

/** Prometheus writes numbers in these labels in one form, so that `le="1"` and `le="1.0"` are one series. */
function normalized(type: MetricType, label: string, value: string): string {
  const isNumber = (type === "histogram" && label === "le") || (type === "summary" && label === "quantile");
  const number = isNumber ? readFloat(value) : undefined;
  return number === undefined ? value : numberText(number);
}

/** As Go prints a float with the fewest digits, and with `.0` where it would be an integer. */
function numberText(number: number): string {
  if (number === 0) return "0.0";
  if (Number.isNaN(number)) return "NaN";
  if (!Number.isFinite(number)) return number > 0 ? "+Inf" : "-Inf";
  const [digits = "", exponent = "0"] = number.toExponential().split("e");
  const power = Number(exponent);
  if (power < -4 || power >= 6)
    return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  return Number.isInteger(number) ? `${number}.0` : String(number);
}

/** Value and time after a series; undefined when Prometheus would not read them. */
export function readValue(
  line: string,
  from: number,
  format: Format,
): { readonly value: number; readonly atMs: number | undefined } | undefined {
  const { end, msPerUnit } = spellings[format];
  end.lastIndex = from;
  const [, valueText = "", timeText] = end.exec(line) ?? [];
  const value = readFloat(valueText);
  const time = timeText === undefined ? undefined : readFloat(timeText);
  if (value === undefined || (timeText !== undefined && !Number.isFinite(time))) return undefined;
  return { value, atMs: time === undefined ? undefined : Math.trunc(time * msPerUnit) };
}
