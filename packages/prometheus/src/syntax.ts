// Checks PromQL syntax without a Prometheus.

/** PromQL read by Prometheus' own grammar for editors, for those who check queries without a Prometheus. */
import { parser } from "@prometheus-io/lezer-promql";
import { type SelectorFacts, selectorFacts } from "./selector-facts.ts";

export { type MatcherText, selectorWithout, withoutMatcher } from "./without-matcher.ts";

const SHOWN = 40;

/**
 * Why a text is not PromQL, with the place; undefined when it is. Of types, only ranges are checked: whether functions
 * that need one have one, and nothing else has.
 */
export function promqlProblem(text: string): string | undefined {
  if (text.trim() === "") return "it is empty";
  let at: number | undefined;
  const tree = parser.parse(text);
  tree.iterate({
    enter(node) {
      if (at === undefined && node.type.isError) at = node.from;
      return at === undefined;
    },
  });
  if (at === undefined) return rangeProblem(tree.topNode, text);
  const rest = text.slice(at, at + SHOWN).trim();
  return rest === "" ? "it ends too early" : `syntax error at ${JSON.stringify(rest)}`;
}

const takesRange =
  /^(?:rate|irate|increase|delta|idelta|deriv|changes|resets|predict_linear|holt_winters|double_exponential_smoothing|\w+_over_time)$/;

function rangeProblem(node: SyntaxNode, text: string): string | undefined {
  if (node.name === "FunctionCall" || node.name === "AggregateExpr") {
    const name = /^\w*/.exec(text.slice(node.from, node.to))?.[0] ?? "";
    const hasRange = childrenOf(node.getChild("FunctionCallBody")).some((one) => typeOf(one) === "matrix");
    if (takesRange.test(name) && !hasRange) return `${name} needs a range, such as ${name}(x[5m])`;
    if (hasRange && !takesRange.test(name)) return `${name} takes no range`;
  }
  for (const child of childrenOf(node)) {
    const problem = rangeProblem(child, text);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function childrenOf(node: SyntaxNode | null): readonly SyntaxNode[] {
  const found: SyntaxNode[] = [];
  for (let child = node?.firstChild ?? null; child !== null; child = child.nextSibling) found.push(child);
  return found;
}

/** Why a rule cannot have a text as its query, which gives one value for each series or object. */
export function ruleQueryProblem(text: string): string | undefined {
  const problem = promqlProblem(text);
  if (problem !== undefined || valueTypeOf(text) !== "matrix") return problem;
  return "it gives ranges, not values: use a function such as rate(x[5m])";
}

/** Why a text is not a selector of series, such as `up{job="a"}`; undefined when it is one. */
export function selectorProblem(text: string): string | undefined {
  const problem = promqlProblem(text);
  if (problem !== undefined) return problem;
  const expression = parser.parse(text).topNode.firstChild;
  if (expression?.name !== "VectorSelector") return 'it is not a selector such as up{job="a"}';
  const { metricName, matchers } = selectorFacts(text);
  return metricName === undefined && matchers.length > 0 && matchers.every(admitsNothing)
    ? 'it needs a matcher that an absent label does not match, such as namespace!=""'
    : undefined;
}

function admitsNothing({ operator, value }: SelectorFacts["matchers"][number]): boolean {
  if (value === undefined) return false;
  try {
    const matches = operator.endsWith("~") ? new RegExp(`^(?:${value})$`, "s").test("") : value === "";
    return matches === operator.startsWith("=");
  } catch {
    return false;
  }
}

type SyntaxNode = ReturnType<typeof parser.parse>["topNode"];

/** What a readable query gives: one value for each series, one number, one string, or ranges of values. */
export type ValueType = "vector" | "scalar" | "string" | "matrix";

/** The type of a query that `promqlProblem` takes. */
export function valueTypeOf(text: string): ValueType {
  return typeOf(parser.parse(text).topNode);
}

const leaves: ReadonlyMap<string, ValueType> = new Map([
  ["NumberDurationLiteral", "scalar"],
  ["StringLiteral", "string"],
  ["MatrixSelector", "matrix"],
  ["SubqueryExpr", "matrix"],
]);

function typeOf(node: SyntaxNode): ValueType {
  switch (node.name) {
    case "FunctionCall":
      return /^(?:Scalar|Time|Pi)$/.test(node.firstChild?.firstChild?.name ?? "") ? "scalar" : "vector";
    case "BinaryExpr":
      return [node.firstChild, node.lastChild].every((side) => side !== null && typeOf(side) === "scalar")
        ? "scalar"
        : "vector";
    case "PromQL":
    case "ParenExpr":
    case "UnaryExpr":
    case "OffsetExpr":
    case "StepInvariantExpr":
      return innerType(node);
    default:
      return leaves.get(node.name) ?? "vector";
  }
}

/** Of the one expression within, beside comments and operators. */
function innerType(node: SyntaxNode): ValueType {
  let inner = node.firstChild;
  while (inner !== null && !/(?:Expr|Selector|Literal|Call)$/.test(inner.name)) inner = inner.nextSibling;
  return inner === null ? "vector" : typeOf(inner);
}
