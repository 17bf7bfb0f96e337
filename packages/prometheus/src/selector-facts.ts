// Reads from a series selector what holds for every series that it selects.
import { isMetricName } from "./matcher.ts";
import { lexPromql, type PromqlToken } from "./promql-lexer.ts";

/** What a series selector says for certain of every series that it selects. */
export interface SelectorFacts {
  /** The only metric name that they can have; undefined when there may be several. */
  readonly metricName: string | undefined;
  /** Labels that each of them has. There may be others. */
  readonly labels: ReadonlySet<string>;
  /** What is said of their names, without matchers whose value has escapes. */
  readonly nameMatchers: readonly { readonly operator: string; readonly value: string }[];
  /** All conditions between its braces, as they are written. */
  readonly matchers: readonly ReadMatcher[];
}

/** Never throws: nothing is known of a string that is not plainly one selector. */
export function selectorFacts(selector: string): SelectorFacts {
  const unknown: SelectorFacts = { metricName: undefined, labels: new Set(), nameMatchers: [], matchers: [] };
  const tokens = lexPromql(selector);
  // A comment is in no token, and would hide what is appended.
  if (tokens === undefined || tokens.length === 0 || selector.includes("#")) return unknown;
  const [first] = tokens;
  const named = first?.kind === "name" && isMetricName(first.text) ? first.text : undefined;
  const matchers = readMatchers(named === undefined ? tokens : tokens.slice(1));
  if (matchers === undefined) return unknown;
  const equal = matchers.find(({ label, operator }) => label === "__name__" && operator === "=");
  return {
    metricName: named ?? equal?.value,
    labels: new Set(
      matchers.flatMap(({ label, operator, value = "\\" }) =>
        (operator === "=" && value !== "") || (operator === "!=" && value === "") ? [label] : [],
      ),
    ),
    nameMatchers: matchers.flatMap(({ label, operator, value }) =>
      label === "__name__" && value !== undefined ? [{ operator, value }] : [],
    ),
    matchers,
  };
}

/** The labels that any selector of a query has a matcher for; undefined when the text is not plainly PromQL. */
export function matchedLabels(promql: string): ReadonlySet<string> | undefined {
  const tokens = lexPromql(promql);
  return tokens && new Set(tokens.flatMap((_, at) => labelAt(tokens.slice(at, at + 3)) ?? []));
}

/** Only matchers compare with a string. */
function labelAt([name, operator, value]: readonly PromqlToken[]): string | undefined {
  const isMatcher = operator?.kind === "sign" && /^[=!]/.test(operator.text) && value?.kind === "string";
  return isMatcher ? (name?.kind === "name" ? name.text : textOf(name)) : undefined;
}

export interface ReadMatcher {
  readonly label: string;
  readonly operator: string;
  /** Undefined where it has an escape, so that it is not empty. */
  readonly value: string | undefined;
}

/** Those between the braces, or none where there are no braces; undefined when the tokens are anything else. */
function readMatchers(tokens: readonly PromqlToken[]): readonly ReadMatcher[] | undefined {
  if (tokens.length === 0) return [];
  if (tokens[0]?.text !== "{" || tokens.at(-1)?.text !== "}") return undefined;
  const found: ReadMatcher[] = [];
  const inner = tokens.slice(1, -1);
  for (let at = 0; at < inner.length; at += 1) {
    const read = readMatcher(inner.slice(at, at + 3));
    if (read === undefined) return undefined;
    found.push(read);
    at += read.tokens;
    if (at < inner.length && inner[at]?.text !== ",") return undefined;
  }
  return found;
}

/** The first of some tokens; a string alone is the name of the series. */
function readMatcher([name, operator, value]: readonly PromqlToken[]):
  | (ReadMatcher & { readonly tokens: number })
  | undefined {
  if (name?.kind === "string" && (operator === undefined || operator.text === ","))
    return { label: "__name__", operator: "=", value: textOf(name), tokens: 1 };
  const label = labelAt([name, operator, value].flatMap((token) => token ?? []));
  if (label === undefined || operator === undefined) return undefined;
  return { label, operator: operator.text, value: textOf(value), tokens: 3 };
}

/** Of a string without an escape. */
function textOf(token: PromqlToken | undefined): string | undefined {
  return token?.kind === "string" && !token.text.includes("\\") ? token.text.slice(1, -1) : undefined;
}
