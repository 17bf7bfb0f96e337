// Reads from a series selector what holds for every series that it selects.
import { isMetricName } from "./matcher.ts";
import { lexPromql, type PromqlToken } from "./promql-lexer.ts";

/** What a series selector says for certain of every series that it selects. */
export interface SelectorFacts {
  /** The only metric name that they can have; undefined when there may be several. */
  readonly metricName: string | undefined;
  /** Labels that each of them has. There may be others. */
  readonly labels: ReadonlySet<string>;
}

/** Never throws: nothing is known of a string that is not plainly one selector. */
export function selectorFacts(selector: string): SelectorFacts {
  const unknown: SelectorFacts = { metricName: undefined, labels: new Set() };
  const tokens = lexPromql(selector);
  // A comment is in no token, and would hide what is appended.
  if (tokens === undefined || tokens.length === 0 || selector.includes("#")) return unknown;
  const [first] = tokens;
  const named = first?.kind === "name" && isMetricName(first.text) ? first.text : undefined;
  const matchers = readMatchers(named === undefined ? tokens : tokens.slice(1));
  if (matchers === undefined) return unknown;
  const equal = matchers.find(({ label, operator }) => label === "__name__" && operator === "=");
  return {
    metricName: named ?? (equal !== undefined && isMetricName(equal.value) ? equal.value : undefined),
    labels: new Set(
      matchers.flatMap(({ label, operator, value }) =>
        (operator === "=" && value !== "") || (operator === "!=" && value === "") ? [label] : [],
      ),
    ),
  };
}

interface ReadMatcher {
  readonly label: string;
  readonly operator: string;
  /** As written between the quotes: exact as to being empty, and as to names, which need no escape. */
  readonly value: string;
}

/** Those between the braces, or none where there are no braces; undefined when the tokens are anything else. */
function readMatchers(tokens: readonly PromqlToken[]): readonly ReadMatcher[] | undefined {
  if (tokens.length === 0) return [];
  if (tokens[0]?.text !== "{" || tokens.at(-1)?.text !== "}") return undefined;
  const found: ReadMatcher[] = [];
  const inner = tokens.slice(1, -1);
  for (let at = 0; at < inner.length; at += 4) {
    const [label, operator, value, comma] = inner.slice(at, at + 4);
    if (label?.kind !== "name" || operator?.kind !== "sign" || value?.kind !== "string") return undefined;
    if (comma !== undefined && comma.text !== ",") return undefined;
    found.push({ label: label.text, operator: operator.text, value: value.text.slice(1, -1) });
  }
  return found;
}
