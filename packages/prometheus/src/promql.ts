// Edits PromQL text: finds ranges, adds matchers.
import { parsePrometheusDuration } from "./duration.ts";
import { formatMatchers, formatSelector, isMetricName, type Matcher } from "./matcher.ts";

interface Token {
  readonly kind: "text" | "string" | "comment" | "range";
  readonly start: number;
  readonly end: number;
}

// A string that is not closed ends with the text, and a range holds no other: each part is read once, whatever it is.
const TOKEN =
  /(?<string>"(?:\\.|[^"\\])*(?:"|\\?$)|'(?:\\.|[^'\\])*(?:'|\\?$)|`[^`]*(?:`|$))|(?<comment>#[^\n]*)|\[(?<range>[^[\]"'`]*)\]/gs;

/** The parts of a PromQL text that are not plain text. Total: a broken query just gives fewer tokens. */
export function tokens(promql: string): readonly Token[] {
  const found: Token[] = [];
  for (const match of promql.matchAll(TOKEN)) {
    const groups = match.groups ?? {};
    const kind =
      groups["string"] !== undefined ? "string" : groups["comment"] !== undefined ? "comment" : "range";
    found.push({ kind, start: match.index, end: match.index + match[0].length });
  }
  return found;
}

/**
 * The ranges that a query looks back over, in milliseconds, in the order of the text: 300000 for
 * `rate(x[5m])`; a subquery `[1h:1m]` counts with its outer range.
 */
export function rangesOf(promql: string): readonly number[] {
  const ranges: number[] = [];
  for (const token of tokens(promql)) {
    if (token.kind !== "range") continue;
    const [text = ""] = promql.slice(token.start + 1, token.end - 1).split(":");
    try {
      ranges.push(parsePrometheusDuration(text.trim()));
    } catch {
      // Newer servers take plain seconds and arithmetic here; such a range is simply not known to us.
      ranges.push(Number.NaN);
    }
  }
  return ranges;
}

/**
 * A series selector with more matchers: `up{job="a"}` with `pod!=""` is `up{job="a",pod!=""}`.
 * @returns undefined when the text is not plainly one selector, so that nothing can be added safely.
 */
export function withMatchers(selector: string, matchers: readonly Matcher[]): string | undefined {
  const text = selector.trim();
  const marked = tokens(text);
  if (marked.some((token) => token.kind !== "string")) return undefined;
  const bare = blank(text, marked);
  if (isMetricName(text)) return formatSelector(text, matchers);
  const open = bare.indexOf("{");
  const isOneSelector =
    open >= 0 &&
    bare.indexOf("}") === text.length - 1 &&
    bare.lastIndexOf("{") === open &&
    !/[()]/.test(bare);
  if (!isOneSelector) return undefined;
  const body = bare.slice(open + 1, -1).trim();
  const separator = body === "" || body.endsWith(",") ? "" : ",";
  return `${text.slice(0, -1)}${separator}${formatMatchers(matchers)}}`;
}

/** The text with every string blanked out, so that a brace inside one is not taken for a brace. */
function blank(text: string, marked: readonly Token[]): string {
  let result = "";
  let at = 0;
  for (const { start, end } of marked) {
    result += text.slice(at, start) + "_".repeat(end - start);
    at = end;
  }
  return result + text.slice(at);
}
