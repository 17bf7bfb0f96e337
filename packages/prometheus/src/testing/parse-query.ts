// Reads queries for simulated servers: those that the adapter's rules produce, and no others.
import type { SyntaxNode } from "@lezer/common";
import { durationOf } from "../enforce/durations.ts";
import { parseStrictly } from "../enforce/parse.ts";
import { Refused } from "../enforce/refused.ts";
import { matchersOf, type ReadMatcher } from "../enforce/selectors.ts";

/** A matcher of a label, and whether it takes a value. */
export interface LabelMatcher {
  readonly label: string;
  readonly operator: "=" | "!=" | "=~" | "!~";
  readonly value: string;
  readonly test: (value: string) => boolean;
}

/** Series of one name. */
export interface Selector {
  readonly name: string;
  readonly matchers: readonly LabelMatcher[];
}

/** A query. */
export type Expression =
  | { readonly type: "selector"; readonly selector: Selector }
  | {
      readonly type: "range";
      readonly function: RangeFunction;
      readonly selector: Selector;
      readonly rangeMs: number;
    }
  | {
      readonly type: "aggregation";
      readonly operator: Aggregation;
      readonly by: readonly string[];
      readonly of: Expression;
    }
  | { readonly type: "constant"; readonly value: number };

/** Functions of a range. */
export type RangeFunction = "rate" | "count_over_time";
/** Aggregations of series. */
export type Aggregation = "sum" | "max";

/** A query that simulated servers do not know: the simulation has to learn it. */
export class UnknownQueryError extends Error {
  override readonly name = "UnknownQueryError";
}

/** @throws UnknownQueryError */
export function parseQuery(query: string): Expression {
  try {
    const tree = parseStrictly(query);
    return readExpression(query, tree.firstChild ?? tree);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new UnknownQueryError(`the simulated Prometheus does not know ${query}: ${error.message}`);
  }
}

/** @throws UnknownQueryError */
export function parseSelector(text: string): Selector {
  const expression = parseQuery(text);
  if (expression.type !== "selector") throw new UnknownQueryError(`not a selector: ${text}`);
  return expression.selector;
}

function readExpression(query: string, node: SyntaxNode): Expression {
  if (node.name === "VectorSelector") return { type: "selector", selector: readSelector(query, node) };
  const of = node.getChild("FunctionCallBody")?.firstChild ?? node;
  if (of === node || of.nextSibling !== null) throw notKnown(query, node);
  switch (textOf(query, node.firstChild)) {
    case "sum":
      return { type: "aggregation", operator: "sum", by: readBy(query, node), of: readExpression(query, of) };
    case "max":
      return { type: "aggregation", operator: "max", by: readBy(query, node), of: readExpression(query, of) };
    case "rate":
      return { type: "range", function: "rate", ...readRange(query, of) };
    case "count_over_time":
      return { type: "range", function: "count_over_time", ...readRange(query, of) };
    case "vector":
      return { type: "constant", value: readNumber(query, of) };
    default:
      throw notKnown(query, node);
  }
}

function notKnown(query: string, node: SyntaxNode): Refused {
  return new Refused("Unsupported", textOf(query, node), node);
}

function readNumber(query: string, node: SyntaxNode): number {
  const value = Number(textOf(query, node));
  if (Number.isNaN(value)) throw notKnown(query, node);
  return value;
}

function readBy(query: string, aggregation: SyntaxNode): readonly string[] {
  const modifier = aggregation.getChild("AggregateModifier");
  if (modifier?.firstChild?.name === "Without") throw notKnown(query, modifier);
  const grouping = modifier?.getChild("GroupingLabels");
  if (grouping?.getChild("QuotedLabelName")) throw notKnown(query, grouping);
  const labels = grouping?.getChildren("LabelName") ?? [];
  return labels.map((label) => textOf(query, label));
}

function readRange(
  query: string,
  node: SyntaxNode,
): { readonly selector: Selector; readonly rangeMs: number } {
  const [selector, duration] = [node.getChild("VectorSelector"), node.getChild("DurationExpr")];
  if (node.name !== "MatrixSelector" || selector === null || duration === null) throw notKnown(query, node);
  return { selector: readSelector(query, selector), rangeMs: durationOf(query, duration) };
}

function readSelector(query: string, node: SyntaxNode): Selector {
  const all = matchersOf(query, node);
  const [named, ...others] = all.filter(({ label }) => label === "__name__");
  const name = named?.value ?? textOf(query, node.getChild("Identifier"));
  const isQuoted = (node.getChild("LabelMatchers")?.getChild("QuotedLabelName") ?? null) !== null;
  const isNamed = name !== "" && !isQuoted && others.length === 0 && (named?.operator ?? "=") === "=";
  if (!isNamed) throw new Refused("Unsupported", "it has no metric name", node);
  return { name, matchers: all.filter((one) => one !== named).map(withTest) };
}

function textOf(query: string, node: SyntaxNode | null): string {
  return node === null ? "" : query.slice(node.from, node.to);
}

function withTest({ label, operator, value }: ReadMatcher): LabelMatcher {
  // The grammar knows no others.
  const known = operator as LabelMatcher["operator"];
  return { label, operator: known, value, test: createTest(known, value) };
}

function createTest(operator: LabelMatcher["operator"], value: string): (value: string) => boolean {
  if (operator === "=") return (given) => given === value;
  if (operator === "!=") return (given) => given !== value;
  const test = createPattern(value);
  return operator === "=~" ? test : (given) => !test(given);
}

/** Mostly a list of names. */
function createPattern(pattern: string): (value: string) => boolean {
  const names = pattern.split("|").map((name) => name.replaceAll(/\\([.\\])/g, "$1"));
  if (/^(?:[\w|-]|\\\.)*$/.test(pattern)) {
    const set = new Set(names);
    return (value) => set.has(value);
  }
  const compiled = new RegExp(`^(?:${pattern})$`, "s");
  return (value) => compiled.test(value);
}
