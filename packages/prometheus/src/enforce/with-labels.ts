// Adds labels to every selector of a query: those by which the series of one cluster differ from those of another.
import type { SyntaxNode } from "@lezer/common";
import { labelText, quoteString } from "../matcher.ts";
import { parseStrictly } from "./parse.ts";
import { print } from "./print.ts";
import { Refused } from "./refused.ts";
import type { EnforceRefusal } from "./result.ts";
import { insertionInto, matchersOf } from "./selectors.ts";
import { tokensOf } from "./tokens.ts";

/** Names and values of labels; names as Prometheus has them without quotes. */
export type ExtraLabels = readonly (readonly [name: string, value: string])[];

/** The query with the labels, or why it cannot have them. */
export type LabeledQuery = { readonly ok: true; readonly query: string } | EnforceRefusal;

/**
 * `rate(up{job="a"}[1m])` with the label `cluster` of `eu-1` is `rate(up{job="a",cluster="eu-1"}[1m])`. Other matchers of
 * the label stay, and both have to match; a selector that has all of the labels already is left as it is. Pure and total;
 * what is unknown in full is refused.
 */
export function withLabels(query: string, labels: ExtraLabels): LabeledQuery {
  try {
    const top = parseStrictly(query);
    const tokens = tokensOf(query, top);
    const insertions = selectorsOf(top)
      .filter((selector) => !hasAll(query, selector, labels))
      .map(insertionInto);
    const matcher = labels.map(([name, value]) => `${labelText(name)}=${quoteString(value)}`).join(",");
    return { ok: true, query: print(query, tokens, { insertions, matcher }) };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { reason, message, from, to } = error;
    return { ok: false, reason, message, from, to };
  }
}

function selectorsOf(top: SyntaxNode): readonly SyntaxNode[] {
  const selectors: SyntaxNode[] = [];
  const cursor = top.cursor();
  do {
    if (cursor.name === "VectorSelector") selectors.push(cursor.node);
  } while (cursor.next());
  return selectors;
}

function hasAll(query: string, selector: SyntaxNode, labels: ExtraLabels): boolean {
  const matchers = matchersOf(query, selector);
  return labels.every(([name, value]) =>
    matchers.some((one) => one.label === name && one.operator === "=" && one.value === value),
  );
}
