// Series of a test, written as promtool writes them: `name{label="x"}`, and values such as `0+60x10`.
import type { WrittenSeries, WrittenValue } from "@plimsoll/prometheus/server";

/** The labels of a series with its name, or why the text is none. */
export function readSeries(text: string): WrittenSeries["labels"] | string {
  const [, name = "", , body = ""] = /^\s*([^\s{]*)\s*(\{(.*)\})?\s*$/s.exec(text) ?? [];
  const labels = new Map(name === "" ? [] : [["__name__", name]]);
  for (let rest = body.trim(); rest !== ""; ) {
    const found = readLabel(rest);
    if (typeof found === "string") return found;
    if (labels.has(found.label)) return `it has the label ${found.label} twice`;
    labels.set(found.label, found.value);
    rest = found.rest;
  }
  if (!labels.get("__name__")) return 'it is not a series such as up{job="a"}';
  // An empty label is none.
  return Object.fromEntries([...labels].filter(([, value]) => value !== ""));
}

interface ReadLabel {
  readonly label: string;
  readonly value: string;
  readonly rest: string;
}

function readLabel(text: string): ReadLabel | string {
  const [whole = "", name = "", quoted] =
    /^([a-zA-Z_]\w*|"(?:[^"\\]|\\.)*")\s*(?:=\s*("(?:[^"\\]|\\.)*"))?\s*(?:,\s*|$)/.exec(text) ?? [];
  const isQuoted = name.startsWith('"');
  // In quotes the name of the series stands alone.
  const label = quoted === undefined && isQuoted ? "__name__" : isQuoted ? unquoted(name) : name;
  const value = unquoted(quoted ?? name);
  if (!label || value === undefined) return `syntax error at ${JSON.stringify(text)}`;
  return { label, value, rest: text.slice(whole.length) };
}

function unquoted(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}

/** More would be a mistake, such as `0x100000000`. */
const maxSamples = 1_000_000;

/** One value for each interval, undefined where there is none; or why the text is not a list of values. */
export function readValues(text: string): readonly (WrittenValue | undefined)[] | string {
  const values: (WrittenValue | undefined)[] = [];
  for (const token of text.trim().split(/\s+/)) {
    const part = expanded(token);
    if (part === undefined)
      return `${JSON.stringify(token)} is not a value: use one such as 1, 0+60x10, _ or stale`;
    if (values.length + part.count > maxSamples) return `there are more than ${maxSamples} values`;
    for (let n = 0; n < part.count; n += 1) values.push(part.at(n));
  }
  return values;
}

interface Part {
  readonly count: number;
  readonly at: (n: number) => WrittenValue | undefined;
}

const number = String.raw`[+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?|Inf|NaN)`;
const valuePattern = new RegExp(`^(${number})$`, "i");
/** `axn` is n + 1 values; `a+bxn` rises by b. */
const seriesPattern = new RegExp(`^(${number})(?:([+-])(${number}))?x(\\d+)$`, "i");

function expanded(token: string): Part | undefined {
  const [, gap] = /^_(?:x(\d+))?$/.exec(token) ?? [];
  if (token.startsWith("_"))
    return gap === undefined && token !== "_" ? undefined : { count: Number(gap ?? 1), at: () => undefined };
  if (token === "stale") return { count: 1, at: () => "stale" };
  const [, single] = valuePattern.exec(token) ?? [];
  if (single !== undefined) return { count: 1, at: () => numberOf(single) };
  const [, first, sign, step = "0", times] = seriesPattern.exec(token) ?? [];
  if (first === undefined || times === undefined) return undefined;
  const [from, by] = [numberOf(first), numberOf(step) * (sign === "-" ? -1 : 1)];
  return { count: Number(times) + 1, at: (n) => from + by * n };
}

function numberOf(text: string): number {
  return Number(text.replace(/inf/i, "Infinity").replace(/nan/i, "NaN"));
}
