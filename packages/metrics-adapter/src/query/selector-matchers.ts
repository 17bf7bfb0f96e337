import type { Requirement, Selector } from "@plimsoll/kube";
import { escapeRegex, isLabelName, type Matcher } from "@plimsoll/prometheus";
import type { LabelSelector, LabelSelectorRequirement } from "../provider/provider.ts";

/** A requirement as a matcher, with the values it names. */
export interface SelectorMatcher {
  readonly matcher: Matcher;
  readonly values: readonly string[];
}

export type SelectorMatchers =
  | { readonly ok: true; readonly matchers: readonly SelectorMatcher[] }
  | { readonly ok: false; readonly message: string };

/**
 * Turns a metric selector into matchers, sorted by label. Values are matched exactly, also where the operator
 * needs a regular expression.
 * @upstream pkg/naming/metrics_query.go#processQueryParts
 */
export function matchersOf(selector: Selector): SelectorMatchers {
  const matchers: SelectorMatcher[] = [];
  const sorted = [...selector.requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  for (const requirement of sorted) {
    if (!isLabelName(requirement.key)) {
      const message = `metric selector: ${JSON.stringify(requirement.key)} cannot be a Prometheus label`;
      return { ok: false, message: `${message} (letters, digits and underscores only)` };
    }
    const matcher = matcherOf(requirement);
    if (matcher === undefined) {
      return {
        ok: false,
        message: `metric selector: the operator of ${requirement.key} cannot be used for metrics`,
      };
    }
    const values = requirement.values.toSorted();
    const odd = values.find((value) => !/^[A-Za-z0-9._-]*$/.test(value));
    if (odd !== undefined) {
      return { ok: false, message: `metric selector: ${JSON.stringify(odd)} is not a label value` };
    }
    matchers.push({ matcher, values });
  }
  return { ok: true, matchers };
}

function matcherOf({ key, operator, values }: Requirement): Matcher | undefined {
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

/**
 * The selector as the API object that goes back with the values: `=` as matchLabels, all others as expressions.
 * `!=` has no form of its own there; NotIn with one value means the same.
 */
export function selectorObject(selector: Selector): LabelSelector | undefined {
  if (selector.requirements.length === 0) return undefined;
  const labels = new Map<string, string>();
  const expressions: LabelSelectorRequirement[] = [];
  for (const { key, operator, values } of selector.requirements) {
    const sorted = values.toSorted();
    if (operator === "=") labels.set(key, values[0] ?? "");
    else if (operator === "in") expressions.push({ key, operator: "In", values: sorted });
    else if (operator === "notin" || operator === "!=")
      expressions.push({ key, operator: "NotIn", values: sorted });
    else if (operator === "exists") expressions.push({ key, operator: "Exists" });
    else if (operator === "!") expressions.push({ key, operator: "DoesNotExist" });
  }
  return {
    ...(labels.size === 0 ? {} : { matchLabels: Object.fromEntries(labels) }),
    ...(expressions.length === 0 ? {} : { matchExpressions: expressions }),
  };
}
