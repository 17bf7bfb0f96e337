// Puts names that PromQL takes in quotes only, as Prometheus 3 has them, into the query of a template.
import { escapeRegex, escapeString, isLabelName, isMetricName, labelText, quoteString } from "../matcher.ts";
import { tokens } from "../promql.ts";
import { requireText } from "./budget.ts";

/** The names that a template writes without quotes. */
export interface WrittenNames {
  readonly series: string;
  readonly groupBy: readonly string[];
}

/**
 * Renders a template with other names in the place of those that need quotes, and then puts them where PromQL has them:
 * `<<.Series>>{job="a"}` becomes `{"http.requests",job="a"}`. In a string a name stays as it is.
 * @param render with names that need no quotes; `actual` puts the true ones into a text.
 */
export function withQuotedNames(
  names: WrittenNames,
  render: (names: WrittenNames, actual?: (text: string) => string) => string,
): string {
  const { series, groupBy } = names;
  const isPlain = series === "" || isMetricName(series);
  if (isPlain && groupBy.every(isBare)) return render(names);
  const known = [series, ...groupBy];
  const longest = Math.max(...known.map((name) => name.length));
  const actual = (text: string): string => {
    requireText(text.length + (text.match(STAND_IN)?.length ?? 0) * longest);
    return text.replaceAll(STAND_IN, (_standIn, index: string) => known[Number(index)] ?? "");
  };
  const standIns = {
    series: isPlain ? series : standIn(0),
    groupBy: groupBy.map((label, at) => (isBare(label) ? label : standIn(at + 1))),
  };
  const text = render(standIns, actual);
  let result = "";
  let at = 0;
  for (const { kind, start, end } of tokens(text)) {
    if (kind !== "string") continue;
    const before = text.slice(at, start);
    result += outsideStrings(before, known) + insideString(text.slice(start, end), before, known);
    at = end;
  }
  return result + outsideStrings(text.slice(at), known);
}

/** A rule without containerLabel has an empty one, and PromQL takes `by (pod,)`. */
function isBare(label: string): boolean {
  return label === "" || isLabelName(label);
}

function standIn(at: number): string {
  return `plimsoll__name_${at}__`;
}

const STAND_IN = /plimsoll__name_(\d+)__/g;
const WORD = /(?<word>[\w:]*plimsoll__name_(?<at>\d+)__[\w:]*)(?<braces>\s*\{(?:\s*\})?)?/g;

function outsideStrings(text: string, known: readonly string[]): string {
  return text.replaceAll(WORD, (_all, word: string, at: string, braces = "") => {
    const name = word.replaceAll(STAND_IN, (_standIn, index: string) => known[Number(index)] ?? "");
    if (at !== "0") return `${labelText(name)}${braces}`;
    return `{${quoteString(name)}${braces === "" || braces.endsWith("}") ? "}" : ","}`;
  });
}

/** @param before what is before the string: `=~` makes it a regular expression. */
function insideString(text: string, before: string, known: readonly string[]): string {
  const isPattern = /[=!]~\s*$/.test(before);
  return text.replaceAll(STAND_IN, (_standIn, index: string) => {
    const name = known[Number(index)] ?? "";
    const exact = isPattern ? escapeRegex(name) : name;
    return text.startsWith("`") ? exact : escapeString(exact);
  });
}
