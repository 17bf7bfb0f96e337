// Counts the samples of one series that a query holds at the same time: the servers keep the steps of every operand and
// of the result until the result is complete.
import type { SyntaxNode } from "@lezer/common";
import { stringOf } from "../selectors.ts";
import { argumentsOf, groupingOf, numberOf, partsOf } from "./arguments.ts";
import { joinOf } from "./join.ts";
import type { Costing } from "./label-functions.ts";

/** In steps of subqueries. A result of few series counts as none, and so does one outside of all subqueries. */
interface Held {
  readonly most: number;
  /** What remains once a part is evaluated. */
  readonly result: number;
}

const nothing: Held = { most: 0, result: 0 };

interface Holding extends Costing {
  /** A label that has the same text in all series. */
  readonly sameLabel: string | undefined;
}

/**
 * Counts what the whole query holds. As deep as the tree, which the limits bound before it is parsed.
 * @param label that all selectors have with the same text.
 */
export function countHeld(costing: Costing, top: SyntaxNode, label: string): void {
  const held = heldBy({ ...costing, sameLabel: mayWrite(costing, top, label) ? undefined : label }, top);
  if (held.most > 0) costing.figures.most("heldSteps", held.most, top.firstChild ?? top);
}

/** Functions take the labels that they write as strings. */
function mayWrite({ query }: Costing, top: SyntaxNode, label: string): boolean {
  const cursor = top.cursor();
  do {
    if (cursor.name === "StringLiteral" && stringOf(query, cursor.node) === label) return true;
  } while (cursor.next());
  return false;
}

function heldBy(costing: Holding, node: SyntaxNode): Held {
  const evaluations = costing.evaluationsAt.get(node.from) ?? 1;
  const steps = evaluations > 1 ? evaluations : 0;
  if (node.name === "VectorSelector") return { most: steps, result: steps };
  if (node.name === "FunctionCall") return ofCall(costing, node, steps);
  if (node.name === "AggregateExpr") return ofAggregation(costing, node, steps);
  if (node.name === "BinaryExpr") return ofOperation(costing, node);
  // Signs, parentheses, ranges, offsets, and subqueries hand on what they have.
  return inTurn(partsOf(node).map((part) => heldBy(costing, part)));
}

/** One part after another; the results of all remain. */
function inTurn(parts: readonly Held[]): Held {
  return parts.reduce(
    (sum, { most, result }) => ({ most: Math.max(sum.most, sum.result + most), result: sum.result + result }),
    nothing,
  );
}

/** Of one series or none. */
const small = new Set(["Absent", "AbsentOverTime", "Scalar", "Vector", "Time", "Pi"]);

function ofCall(costing: Holding, call: SyntaxNode, steps: number): Held {
  const args = argumentsOf(call);
  const own = small.has(call.getChild("FunctionIdentifier")?.firstChild?.name ?? "") ? 0 : steps;
  // The server drops the samples of a range once a series has its result.
  if (args.some(isRangeOfSelector)) return { most: own, result: own };
  return withResult(inTurn(args.map((arg) => heldBy(costing, arg))), args.length === 0 ? 0 : own);
}

function isRangeOfSelector(node: SyntaxNode): boolean {
  if (node.name === "MatrixSelector") return true;
  const isWrapper = ["ParenExpr", "OffsetExpr", "StepInvariantExpr"].includes(node.name);
  const [inner] = isWrapper ? partsOf(node) : [];
  return inner !== undefined && isRangeOfSelector(inner);
}

const selections = ["Topk", "Bottomk", "LimitK"];
const fewSeries = 100;

function ofAggregation(costing: Holding, node: SyntaxNode, steps: number): Held {
  const args = argumentsOf(node);
  const operation = node.getChild("AggregateOp")?.firstChild?.name ?? "";
  const grouping = groupingOf(costing.query, node);
  const isOne = grouping.isBy && grouping.labels.every((label) => label === costing.sameLabel);
  const k = selections.includes(operation) ? (numberOf(costing.query, args[0] ?? node) ?? Infinity) : 1;
  const isFew = isOne && k <= fewSeries && operation !== "LimitRatio" && operation !== "CountValues";
  return withResult(inTurn(args.map((arg) => heldBy(costing, arg))), isFew ? 0 : steps);
}

/** The operands are dropped once there is a result. */
function withResult(operands: Held, result: number): Held {
  return { most: Math.max(operands.most, operands.result + result), result };
}

function ofOperation(costing: Holding, node: SyntaxNode): Held {
  const join = joinOf(costing.query, node);
  if (join === undefined) return nothing;
  const left = heldBy(costing, join.left);
  const right = heldBy(costing, join.right);
  const isUnion = node.getChild("Or") !== null;
  const result = isUnion ? left.result + right.result : Math.max(left.result, right.result);
  return withResult(inTurn([left, right]), result);
}
