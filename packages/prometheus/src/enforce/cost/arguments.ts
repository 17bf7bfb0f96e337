// Reads the arguments of calls and aggregations.
import type { SyntaxNode } from "@lezer/common";
import { readNumberLiteral } from "../number-literal.ts";
import { Refused } from "../refused.ts";
import { stringOf } from "../selectors.ts";

/** Those of a node, without comments. */
export function partsOf(node: SyntaxNode | null): readonly SyntaxNode[] {
  const parts: SyntaxNode[] = [];
  for (let child = node?.firstChild ?? null; child !== null; child = child.nextSibling)
    if (child.name !== "LineComment") parts.push(child);
  return parts;
}

export function argumentsOf(call: SyntaxNode): readonly SyntaxNode[] {
  return partsOf(call.getChild("FunctionCallBody"));
}

/** @throws Refused when one of them isn't a string, as every server does. */
export function stringsOf(query: string, call: SyntaxNode, nodes: readonly SyntaxNode[]): readonly string[] {
  return nodes.map((node) => {
    const literal = unwrapped(node);
    if (literal.name === "StringLiteral") return stringOf(query, literal);
    throw new Refused("Syntax", `${nameOf(query, call)}() takes strings in quotes here`, node);
  });
}

/** Undefined when it is not a plain number. */
export function numberOf(query: string, node: SyntaxNode): number | undefined {
  const literal = unwrapped(node);
  if (literal.name !== "NumberDurationLiteral") return undefined;
  return readNumberLiteral(query.slice(literal.from, literal.to))?.value;
}

export function nameOf(query: string, call: SyntaxNode): string {
  return /^\w+/.exec(query.slice(call.from, call.to))?.[0] ?? "";
}

/** The labels of `by (…)`, `on (…)` and such. */
export function labelsIn(query: string, grouping: SyntaxNode | undefined): readonly string[] {
  return partsOf(grouping ?? null).map((label) => {
    const quoted = label.getChild("StringLiteral");
    return quoted === null ? query.slice(label.from, label.to) : stringOf(query, quoted);
  });
}

/** Of an aggregation; without a modifier it is `by ()`. */
export function groupingOf(
  query: string,
  node: SyntaxNode,
): { readonly isBy: boolean; readonly labels: readonly string[] } {
  const modifier = node.getChild("AggregateModifier");
  const labels = labelsIn(query, modifier?.getChild("GroupingLabels") ?? undefined);
  return { isBy: modifier?.getChild("Without") == null, labels };
}

export function unwrapped(node: SyntaxNode): SyntaxNode {
  const [inner] = node.name === "ParenExpr" ? partsOf(node) : [];
  return inner === undefined ? node : unwrapped(inner);
}
