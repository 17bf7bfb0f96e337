// Finds how far back each selector of a query reads, and how often.
import type { SyntaxNode } from "@lezer/common";
import { readNumberLiteral } from "./number-literal.ts";
import { Refused, type Span, shown } from "./result.ts";

/** What one selector reads. An instant selector reads some minutes more, which the server decides on. */
export interface EnforcedSelector {
  /** In the query that was given, in UTF-16 code units. */
  readonly from: number;
  readonly to: number;
  /** Undefined when the matchers alone decide. */
  readonly metricName: string | undefined;
  /** Milliseconds that one reading covers; 0 for an instant. */
  readonly rangeMs: number;
  /** The oldest sample is this many milliseconds before the evaluation, or before `fixedAtMs`; never negative. */
  readonly lookbackMs: number;
  /** The time in `@ 1700000000`, in milliseconds since 1970. */
  readonly fixedAtMs: number | undefined;
  /** How often it is read by one evaluation of the query: 1, or the steps of the subqueries around it. */
  readonly evaluations: number;
}

/** What an evaluation of a query costs at most; for those who set limits. */
export interface QueryCost {
  /** The longest range of a selector or subquery in milliseconds, 0 without any. */
  readonly maxRangeMs: number;
  /** The most evaluations of one selector: the product of range / step of the subqueries around it. */
  readonly maxEvaluations: number;
  /** The furthest that a selector reads back in milliseconds, offsets and all ranges around it together. */
  readonly maxLookbackMs: number;
  /** There is an `@` with a time: how far back that is depends on when the query is evaluated. */
  readonly hasFixedTime: boolean;
}

/** When a part of the query is evaluated. */
interface When {
  readonly fixedAtMs: number | undefined;
  /** Before that time, or before the evaluation of the query. */
  readonly backMs: number;
  readonly evaluations: number;
}

export interface TimedSelector {
  readonly node: SyntaxNode;
  readonly rangeMs: number;
  readonly when: When;
}

interface Walk {
  readonly query: string;
  readonly defaultStepMs: number;
  readonly selectors: TimedSelector[];
  maxRangeMs: number;
}

/**
 * Every selector with its times, in the order of the query.
 * @param defaultStepMs of subqueries without a step.
 * @throws Refused
 */
export function timesOf(
  query: string,
  top: SyntaxNode,
  defaultStepMs: number,
): { readonly selectors: readonly TimedSelector[]; readonly maxRangeMs: number } {
  const walk: Walk = { query, defaultStepMs, selectors: [], maxRangeMs: 0 };
  visit(walk, top, { fixedAtMs: undefined, backMs: 0, evaluations: 1 });
  return walk;
}

/** As deep as the tree, which the limits bound before it is parsed. */
function visit(walk: Walk, node: SyntaxNode, when: When): void {
  switch (node.name) {
    case "OffsetExpr":
    case "StepInvariantExpr":
      return visitModified(walk, node, when);
    case "SubqueryExpr":
      return visitSubquery(walk, node, when);
    case "MatrixSelector": {
      const selector = childOf(walk, node, "VectorSelector");
      const rangeMs = rangeOf(walk, childOf(walk, node, "DurationExpr"));
      walk.selectors.push({ node: selector, rangeMs, when: { ...when, backMs: when.backMs + rangeMs } });
      return;
    }
    case "VectorSelector":
      walk.selectors.push({ node, rangeMs: 0, when });
      return;
    default:
      for (let child = node.firstChild; child !== null; child = child.nextSibling) visit(walk, child, when);
  }
}

/** `offset` and `@` belong to the selector or subquery before them, in any order. */
function visitModified(walk: Walk, node: SyntaxNode, when: When): void {
  let [offset, at]: (SyntaxNode | undefined)[] = [];
  let base = node;
  while (base.name === "OffsetExpr" || base.name === "StepInvariantExpr") {
    const isOffset = base.name === "OffsetExpr";
    if ((isOffset ? offset : at) !== undefined)
      throw new Refused("Syntax", `${shown(walk.query, node)} has the same modifier twice`, node);
    if (isOffset) offset = base;
    else at = base;
    base = base.firstChild ?? base;
    while (base.name === "LineComment" && base.nextSibling !== null) base = base.nextSibling;
  }
  if (!["VectorSelector", "MatrixSelector", "SubqueryExpr"].includes(base.name)) {
    const message = `${shown(walk.query, node)}: @ and offset belong after a selector or a subquery`;
    throw new Refused("Syntax", message, node);
  }
  const offsetMs = offset === undefined ? 0 : offsetOf(walk, childOf(walk, offset, "OffsetDurationExpr"));
  if (at === undefined) return visit(walk, base, { ...when, backMs: when.backMs + offsetMs });
  visit(walk, base, { ...when, fixedAtMs: fixedTimeOf(walk, at), backMs: offsetMs });
}

function visitSubquery(walk: Walk, node: SyntaxNode, when: When): void {
  const inner = node.firstChild;
  const [range, step] = node.getChildren("DurationExpr");
  if (inner === null || range === undefined)
    throw new Refused("Unsupported", `${shown(walk.query, node)} is not a subquery that is supported here`, node);
  const rangeMs = rangeOf(walk, range);
  const stepMs = step === undefined ? walk.defaultStepMs : durationOf(walk, step);
  visit(walk, inner, {
    fixedAtMs: when.fixedAtMs,
    backMs: when.backMs + rangeMs,
    evaluations: when.evaluations * (Math.floor(rangeMs / stepMs) + 1),
  });
}

function rangeOf(walk: Walk, node: SyntaxNode): number {
  const rangeMs = durationOf(walk, node);
  walk.maxRangeMs = Math.max(walk.maxRangeMs, rangeMs);
  return rangeMs;
}

/** Undefined for start() and end(), which are the time of the evaluation. */
function fixedTimeOf(walk: Walk, node: SyntaxNode): number | undefined {
  const time = node.getChildren("NumberDurationLiteral").at(-1);
  return time === undefined ? undefined : millisecondsOf(walk, time);
}

/** A sign is allowed here. */
function offsetOf(walk: Walk, node: SyntaxNode): number {
  const inner = node.getChild("OffsetDurationExpr");
  const sign = node.getChild("UnaryOp");
  const amount = plainDuration(walk, inner !== null && sign !== null ? inner : node);
  return sign !== null && walk.query.slice(sign.from, sign.to) === "-" ? -amount : amount;
}

function durationOf(walk: Walk, node: SyntaxNode): number {
  const durationMs = plainDuration(walk, node);
  if (durationMs > 0) return durationMs;
  throw new Refused("Syntax", `${shown(walk.query, node)} must be longer than 0`, node);
}

/** In milliseconds. */
function plainDuration(walk: Walk, node: SyntaxNode): number {
  const literal = node.getChild("NumberDurationLiteralInDurationContext");
  const isPlain = literal !== null && literal.from === node.from && literal.to === node.to;
  if (isPlain) return millisecondsOf(walk, literal);
  const message = `${shown(walk.query, node)} is an expression; only plain durations such as 5m are supported here`;
  throw new Refused("Unsupported", message, node);
}

/** More milliseconds than a number counts exactly are no duration and no time. */
function millisecondsOf(walk: Walk, span: Span): number {
  const { value = Number.NaN } = readNumberLiteral(walk.query.slice(span.from, span.to)) ?? {};
  const milliseconds = Math.round(value * 1000);
  if (Number.isSafeInteger(milliseconds)) return milliseconds;
  throw new Refused("Syntax", `${shown(walk.query, span)} is not a duration or a time in seconds`, span);
}

function childOf(walk: Walk, node: SyntaxNode, name: string): SyntaxNode {
  const child = node.getChild(name);
  if (child !== null) return child;
  const message =
    node.name === "MatrixSelector"
      ? `${shown(walk.query, node)}: a range belongs right after a selector; for an expression write [5m:]`
      : `${shown(walk.query, node)} is not supported here`;
  throw new Refused("Syntax", message, node);
}
