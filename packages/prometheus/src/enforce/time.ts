// Finds how far back each selector of a query reads, and how often.
import type { SyntaxNode } from "@lezer/common";
import type { CostFigures } from "./cost/figures.ts";
import { durationOf, fixedTimeOf, offsetOf } from "./durations.ts";
import { Refused, shown } from "./refused.ts";

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
  /** How often one evaluation of the query reads it: the steps of the subqueries around it, at least 1. */
  readonly evaluations: number;
}

/** What an evaluation of a query costs at most; for those who set limits. */
export interface QueryCost {
  /** The longest range of a selector or subquery in milliseconds, 0 without any. */
  readonly maxRangeMs: number;
  /**
   * The most evaluations of one part of the query, at least 1: the product of the steps of the subqueries around it, or
   * the steps of the innermost over the time of all of them, whichever is more.
   */
  readonly maxEvaluations: number;
  /** The furthest that a selector reads back in milliseconds, offsets and all ranges around it together. */
  readonly maxLookbackMs: number;
  /** There is an `@` with a time: how far back that is depends on when the query is evaluated. */
  readonly hasFixedTime: boolean;
  /** What its functions, matchers and aggregations cost. Kinds that the query has nothing of are left out. */
  readonly figures: CostFigures;
}

/** When a part of the query is evaluated. */
interface When {
  readonly fixedAtMs: number | undefined;
  /** Before that time, or before the evaluation of the query. */
  readonly backMs: number;
  readonly evaluations: number;
  /** The ranges of the subqueries around it, all together. */
  readonly spanMs: number;
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
  /** How often each selector, function call, aggregation and operation is evaluated, by the place where it begins. */
  readonly evaluationsAt: Map<number, number>;
  readonly subqueries: { readonly node: SyntaxNode; readonly stepMs: number }[];
  maxRangeMs: number;
  maxEvaluations: number;
}

export type QueryTimes = Readonly<Omit<Walk, "query" | "defaultStepMs">>;

/**
 * Every selector with its times, in the order of the query.
 * @param defaultStepMs of subqueries without a step.
 * @throws Refused
 */
export function timesOf(query: string, top: SyntaxNode, defaultStepMs: number): QueryTimes {
  const walk: Walk = {
    query,
    defaultStepMs,
    selectors: [],
    evaluationsAt: new Map(),
    subqueries: [],
    maxRangeMs: 0,
    maxEvaluations: 1,
  };
  visit(walk, top, { when: { fixedAtMs: undefined, backMs: 0, evaluations: 1, spanMs: 0 }, suffixes: [] });
  return walk;
}

const operandNames = ["VectorSelector", "FunctionCall", "AggregateExpr"];
export const suffixNames = ["MatrixSelector", "SubqueryExpr", "OffsetExpr", "StepInvariantExpr"];

interface Place {
  readonly when: When;
  /** Ranges, subqueries, `@` and `offset` behind an operand, in the order of the query. */
  readonly suffixes: readonly SyntaxNode[];
}

/**
 * The grammar has `a + b[5m]` as a range of the sum, so what is behind an operation belongs to its last operand.
 * As deep as the tree, which the limits bound before it is parsed.
 */
function visit(walk: Walk, node: SyntaxNode, { when, suffixes }: Place): void {
  const children = childrenOf(node);
  const [first] = children;
  if (suffixNames.includes(node.name) && first !== undefined)
    return visit(walk, first, { when, suffixes: [node, ...suffixes] });
  const isOperation = node.name === "BinaryExpr" || node.name === "UnaryExpr";
  if (isOperation) walk.evaluationsAt.set(node.from, when.evaluations);
  const own = isOperation ? when : applySuffixes(walk, node, { when, suffixes });
  for (const [index, child] of children.entries()) {
    const isLast = isOperation && index === children.length - 1;
    visit(walk, child, { when: own, suffixes: isLast ? suffixes : [] });
  }
}

function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (child.name !== "LineComment") children.push(child);
  return children;
}

/** When an operand is evaluated that has these suffixes: the last one is the outermost. */
function applySuffixes(walk: Walk, operand: SyntaxNode, { when, suffixes }: Place): When {
  const isSelector = operand.name === "VectorSelector";
  let own = when;
  let rangeMs = 0;
  for (let at = suffixes.length - 1; at >= 0; ) {
    const modifiers = modifiersBefore(suffixes, at);
    own = applyModifiers(walk, own, modifiers);
    at -= modifiers.length;
    const suffix = suffixes[at];
    if (suffix === undefined && !isSelector)
      throw misplaced(walk, suffixes, "@ and offset belong after a selector or a subquery");
    if (suffix?.name === "MatrixSelector") {
      if (at !== 0 || !isSelector)
        throw misplaced(
          walk,
          suffixes,
          "a range belongs right after a selector; for an expression write [5m:]",
        );
      rangeMs = rangeOf(walk, suffix);
      own = { ...own, backMs: own.backMs + rangeMs };
    } else if (suffix !== undefined) own = applySubquery(walk, own, suffix);
    at -= 1;
  }
  if (isSelector) walk.selectors.push({ node: operand, rangeMs, when: own });
  if (operandNames.includes(operand.name)) walk.evaluationsAt.set(operand.from, own.evaluations);
  return own;
}

function misplaced(walk: Walk, suffixes: readonly SyntaxNode[], message: string): Refused {
  const node = suffixes.at(-1) ?? { from: 0, to: 0 };
  return new Refused("Syntax", `${shown(walk.query, node)}: ${message}`, node);
}

/** The `@` and `offset` that end at a place, which may be in any order. */
function modifiersBefore(suffixes: readonly SyntaxNode[], end: number): readonly SyntaxNode[] {
  let from = end + 1;
  while (["OffsetExpr", "StepInvariantExpr"].includes(suffixes[from - 1]?.name ?? "")) from -= 1;
  return suffixes.slice(from, end + 1);
}

function applyModifiers(walk: Walk, when: When, modifiers: readonly SyntaxNode[]): When {
  const offsets = modifiers.filter(({ name }) => name === "OffsetExpr");
  const times = modifiers.filter(({ name }) => name === "StepInvariantExpr");
  if (offsets.length > 1 || times.length > 1)
    throw misplaced(walk, modifiers, "there may be one offset and one @ in a place");
  const [offset] = offsets;
  const [time] = times;
  const offsetMs = offset === undefined ? 0 : offsetOf(walk.query, offset);
  if (time === undefined) return { ...when, backMs: when.backMs + offsetMs };
  return { ...when, fixedAtMs: fixedTimeOf(walk.query, time), backMs: offsetMs };
}

function applySubquery(walk: Walk, when: When, node: SyntaxNode): When {
  const rangeMs = rangeOf(walk, node);
  const step = node.getChildren("DurationExpr")[1];
  const stepMs = step === undefined ? walk.defaultStepMs : durationOf(walk.query, step);
  walk.subqueries.push({ node, stepMs });
  const spanMs = when.spanMs + rangeMs;
  // Prometheus evaluates a subquery once, over the time of all around it: [1d:1d] around [1s:1ms] takes 86 million steps.
  const evaluations = Math.max(
    when.evaluations * (Math.floor(rangeMs / stepMs) + 1),
    Math.floor(spanMs / stepMs) + 1,
  );
  walk.maxEvaluations = Math.max(walk.maxEvaluations, evaluations);
  return { fixedAtMs: when.fixedAtMs, backMs: when.backMs + rangeMs, evaluations, spanMs };
}

function rangeOf(walk: Walk, node: SyntaxNode): number {
  const [range] = node.getChildren("DurationExpr");
  if (range === undefined)
    throw new Refused("Unsupported", `${shown(walk.query, node)} is not supported here`, node);
  const rangeMs = durationOf(walk.query, range);
  walk.maxRangeMs = Math.max(walk.maxRangeMs, rangeMs);
  return rangeMs;
}
