// Reads the matchers of a selector.
import type { SyntaxNode } from "@lezer/common";
import type { Insertion } from "./print.ts";
import { Refused, shown } from "./refused.ts";
import { readStringLiteral } from "./string-literal.ts";

/** What the rewriting has to know of a selector. */
export interface ReadSelector {
  /** As written or in quotes; undefined when there is none beside the matchers. */
  readonly metricName: string | undefined;
  readonly insertion: Insertion;
  readonly matchers: readonly ReadMatcher[];
}

/** One matcher of a selector, its strings read. */
export interface ReadMatcher {
  readonly node: SyntaxNode;
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/**
 * @param label the enforced one.
 * @throws Refused when the selector has a matcher of it in any form: it is not overridden.
 */
export function readSelector(query: string, selector: SyntaxNode, label: string): ReadSelector {
  const identifier = selector.getChild("Identifier");
  const quoted = selector.getChild("LabelMatchers")?.getChildren("QuotedLabelName") ?? [];
  const matchers = matchersOf(query, selector);
  const own = matchers.find((matcher) => matcher.label === label);
  if (own !== undefined) {
    const message = `${shown(query, own.node)} selects by the label ${JSON.stringify(label)}, which is set for you: remove it`;
    throw new Refused("NamespaceMatcher", message, own.node);
  }
  const names = [
    ...(identifier === null ? [] : [query.slice(identifier.from, identifier.to)]),
    ...quoted.map((node) => stringOf(query, node)),
  ];
  if (names.length > 1)
    throw new Refused("Syntax", `${shown(query, selector)} has two metric names`, selector);
  if ((names[0] ?? "") === "" && matchers.every(matchesEmpty)) {
    const message = `${shown(query, selector)} selects all series: add a metric name or a matcher`;
    throw new Refused("Syntax", message, selector);
  }
  return { metricName: names[0], insertion: insertionInto(selector), matchers };
}

/** Where a further matcher goes. */
export function insertionInto(selector: SyntaxNode): Insertion {
  const braces = selector.getChild("LabelMatchers");
  return braces === null ? { at: selector.to, hasBraces: false } : { at: braces.to - 1, hasBraces: true };
}

/** Those of the label `__name__` among them, but for a name outside of the braces. @throws Refused */
export function matchersOf(query: string, selector: SyntaxNode): readonly ReadMatcher[] {
  const braces = selector.getChild("LabelMatchers");
  return [
    ...(braces?.getChildren("UnquotedLabelMatcher") ?? []),
    ...(braces?.getChildren("QuotedLabelMatcher") ?? []),
  ].map((node) => readMatcher(query, node));
}

function readMatcher(query: string, node: SyntaxNode): ReadMatcher {
  const [name] = node.getChildren("LabelName");
  const [operator] = node.getChildren("MatchOp");
  const [value] = node.getChildren("StringLiteral");
  const [quoted] = node.getChildren("QuotedLabelName");
  if (operator === undefined || value === undefined || (name ?? quoted) === undefined)
    throw new Refused("Unsupported", `${shown(query, node)} is not a matcher that is supported here`, node);
  return {
    node,
    label: name === undefined ? stringOf(query, quoted ?? node) : query.slice(name.from, name.to),
    operator: query.slice(operator.from, operator.to),
    value: stringOf(query, value),
  };
}

/** The text that a string literal means. @throws Refused */
export function stringOf(query: string, node: SyntaxNode): string {
  const value = readStringLiteral(query.slice(node.from, node.to));
  if (value !== undefined) return value;
  throw new Refused("Syntax", `${shown(query, node)} is not a string that Prometheus reads`, node);
}

/** Whether series without the label match for certain. Prometheus refuses a selector that has such matchers only. */
function matchesEmpty({ operator, value }: ReadMatcher): boolean {
  if (operator === "=") return value === "";
  if (operator === "!=") return value !== "";
  return operator === "=~" ? value === "" || value === ".*" : true;
}
