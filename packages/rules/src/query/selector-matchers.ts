// Turns a caller's label selector into matchers of PromQL.
import { escapeRegex, type Matcher } from "@plimsoll/prometheus";

/** One requirement of a Kubernetes label selector. */
export interface SelectorRequirement {
  readonly key: string;
  readonly operator: "=" | "!=" | "in" | "notin" | "exists" | "!" | "gt" | "lt";
  readonly values: readonly string[];
}

/** A requirement as a matcher, with the values it names. */
export interface SelectorMatcher {
  readonly matcher: Matcher;
  readonly values: readonly string[];
}

/** The matchers of a selector, or why it selects no metrics. */
export type SelectorMatchers =
  | { readonly ok: true; readonly matchers: readonly SelectorMatcher[] }
  | { readonly ok: false; readonly message: string };

/**
 * Turns a metric selector into matchers, sorted by label. Values are matched exactly, also where the operator
 * needs a regular expression.
 * @upstream pkg/naming/metrics_query.go#processQueryParts
 */
export function matchersOf(selector: {
  readonly requirements: readonly SelectorRequirement[];
}): SelectorMatchers {
  const matchers: SelectorMatcher[] = [];
  const sorted = [...selector.requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  for (const requirement of sorted) {
    const matcher = matcherOf(requirement);
    if (matcher === undefined) {
      return {
        ok: false,
        message: `metric selector: the operator of ${requirement.key} cannot be used for metrics`,
      };
    }
    const values = requirement.values.toSorted();
    const odd = values.find((value) => !/^[A-Za-z0-9._-]*$/.test(value));
    if (odd !== undefined)
      return { ok: false, message: `metric selector: ${JSON.stringify(odd)} is not a label value` };
    matchers.push({ matcher, values });
  }
  return { ok: true, matchers };
}

function matcherOf({ key, operator, values }: SelectorRequirement): Matcher | undefined {
  const [first = ""] = values;
  const oneOfThem = (): string => values.toSorted().map(escapeRegex).join("|");
  switch (operator) {
    case "=":
      return { label: key, operator: "=", value: first };
    case "!=":
      return { label: key, operator: "!=", value: first };
    case "in":
      return { label: key, operator: "=~", value: oneOfThem() };
    case "notin":
      return { label: key, operator: "!~", value: oneOfThem() };
    case "exists":
      return { label: key, operator: "!=", value: "" };
    case "!":
      return { label: key, operator: "=", value: "" };
    case "gt":
    case "lt":
    default:
      return undefined;
  }
}

/** Whether a matcher can match a value: what it says about a label that we set ourselves. */
export function admits({ matcher, values }: SelectorMatcher, value: string): boolean {
  switch (matcher.operator) {
    case "=":
      return matcher.value === value;
    case "!=":
      return matcher.value !== value;
    case "=~":
      return values.includes(value);
    case "!~":
    default:
      return !values.includes(value);
  }
}
