// Label matchers of PromQL, and their escaping.

/** One label matcher of a PromQL selector. For "=~" and "!~" the value is a regular expression (RE2, anchored). */
export interface Matcher {
  readonly label: string;
  readonly operator: "=" | "!=" | "=~" | "!~";
  readonly value: string;
}

const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;
const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;

/** Whether a name needs no quotes as a label in PromQL. */
export function isLabelName(name: string): boolean {
  return LABEL_NAME.test(name);
}

/** Whether a name needs no quotes as a metric in PromQL. */
export function isMetricName(name: string): boolean {
  return METRIC_NAME.test(name);
}

/** A label as PromQL has it: in quotes where it needs them, which Prometheus has taken since version 3. */
export function labelText(label: string): string {
  return isLabelName(label) ? label : quoteString(label);
}

/** Escapes what a double-quoted PromQL string gives a meaning to; the quotes are not added. */
export function escapeString(value: string): string {
  let escaped = "";
  for (const char of value) escaped += STRING_ESCAPES.get(char) ?? escapeControl(char);
  return escaped;
}

/** A double-quoted PromQL string that means exactly value. */
export function quoteString(value: string): string {
  return `"${escapeString(value)}"`;
}

const STRING_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

function escapeControl(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  // Half of a surrogate pair has no UTF-8 form.
  if (code >= 0xd800 && code <= 0xdfff) return "\ufffd";
  if (code >= 0x20 && code !== 0x7f) return char;
  return `\\x${code.toString(16).padStart(2, "0")}`;
}

/** Escapes every character that RE2 gives a meaning to, so that the pattern matches exactly value. */
export function escapeRegex(value: string): string {
  return value.replaceAll(/[\\.+*?()|[\]{}^$]/g, "\\$&");
}

/** The matcher "label is one of values", exact for any text. One value gives "=", several an alternation. */
export function oneOf(label: string, values: readonly string[]): Matcher {
  const [first] = values;
  if (first !== undefined && values.length === 1) return { label, operator: "=", value: first };
  return { label, operator: "=~", value: values.map(escapeRegex).join("|") };
}

export function formatMatcher({ label, operator, value }: Matcher): string {
  return `${labelText(label)}${operator}${quoteString(value)}`;
}

/** Matchers joined by commas, as between the braces of a selector. */
export function formatMatchers(matchers: readonly Matcher[]): string {
  return matchers.map(formatMatcher).join(",");
}

/** The selector of the series of one name: `up{job="a"}`, or `{"http.requests",job="a"}` where the name needs quotes. */
export function formatSelector(name: string, matchers: readonly Matcher[]): string {
  if (isMetricName(name)) return matchers.length === 0 ? name : `${name}{${formatMatchers(matchers)}}`;
  return `{${[quoteString(name), ...matchers.map(formatMatcher)].join(",")}}`;
}
