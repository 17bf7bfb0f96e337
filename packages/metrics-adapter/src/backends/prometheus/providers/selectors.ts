import { type CacheMeter, createComputedCache } from "@plimsoll/component-base";
import { parseSelector, type Selector, SelectorError } from "@plimsoll/core/selector";
import { failed, type Outcome, ok } from "./outcome.ts";

/** metav1.LabelSelector. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[];
}

/** A selector of a request; the client gets the parser's own message. The same string mostly gives the same object. */
export type ReadSelector = (text: string) => Outcome<Selector>;

/** Autoscalers send the same few selectors all the time. */
export function createReadSelector(meter?: CacheMeter): ReadSelector {
  const selectors = createComputedCache<undefined, Outcome<Selector>>({
    name: "selectors",
    meter,
    maxBytes: 8 * 1024 * 1024,
    sizeOf: (outcome) =>
      outcome.ok
        ? outcome.value.requirements.reduce((bytes, { values }) => bytes + 700 + 80 * values.length, 500)
        : 1_000,
  });
  return (text) => selectors.get(text, undefined, parse);
}

function parse(text: string): Outcome<Selector> {
  try {
    return ok(parseSelector(text));
  } catch (error) {
    if (error instanceof SelectorError) return failed("BadRequest", error.message);
    throw error;
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
