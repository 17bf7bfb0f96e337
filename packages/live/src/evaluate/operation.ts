// Compiles operations: between scalars, between a vector and a scalar, and between vectors.
import { partsOf, type SyntaxNode } from "@plimsoll/prometheus/tree";
import { memoized, withoutName } from "../labels.ts";
import { combined, joined } from "./join.ts";
import { type Matching, matchingOf } from "./matching.ts";
import { arithmetic, comparisons, type Operator, setOperators } from "./operators.ts";
import type { Row, Run, ScalarStep, Step, VectorStep } from "./plan.ts";
import { invalid, type Source, unsupported } from "./refuse.ts";
import { checked } from "./rows.ts";

/** @throws Refused */
export function compileOperation(source: Source, node: SyntaxNode): Step {
  const parts = partsOf(node);
  const [left, sign, right] = [parts[0], parts[1], parts.at(-1)];
  if (left === undefined || sign === undefined || right === undefined)
    throw invalid(source.query, node, "an operand is missing");
  const operator = { name: sign.name, isBool: node.getChild("BoolModifier") !== null };
  checkOperator(source.query, node, sign);
  const operands = [source.compile(left), source.compile(right)] as const;
  const matching = matchingOf(source.query, node);
  checkTypes(source.query, node, { operator, operands, matching });
  return stepOf(operator, operands, matching);
}

function checkOperator(query: string, node: SyntaxNode, sign: SyntaxNode): void {
  const isComparison = comparisons.has(sign.name);
  if (!isComparison && !arithmetic.has(sign.name) && !setOperators.has(sign.name))
    throw unsupported(`the operator ${query.slice(sign.from, sign.to)}`, sign);
  const fill = node.getChild("FillModifier");
  if (fill !== null) throw unsupported(query.slice(fill.from, fill.to), fill);
  if (node.getChild("BoolModifier") !== null && !isComparison)
    throw invalid(query, node, "bool belongs to comparisons only");
}

interface Operation {
  readonly operator: Operator;
  readonly operands: readonly [Step, Step];
  readonly matching: Matching;
}

function checkTypes(query: string, node: SyntaxNode, { operator, operands, matching }: Operation): void {
  const types = operands.map(({ type }) => type);
  if (types.includes("matrix")) throw invalid(query, node, "an operand is a range");
  const isSet = setOperators.has(operator.name);
  if (!types.includes("scalar")) {
    if (isSet && matching.many !== undefined)
      throw invalid(query, node, "and, or, and unless take no group_left or group_right");
    return;
  }
  if (isSet) throw invalid(query, node, "and, or, and unless work between vectors only");
  if (matching.labels.length > 0) throw invalid(query, node, "on and ignoring work between vectors only");
  if (!types.includes("vector") && comparisons.has(operator.name) && !operator.isBool)
    throw invalid(query, node, "a comparison of scalars needs bool, such as 1 > bool 0");
}

function stepOf(operator: Operator, [left, right]: readonly [Step, Step], matching: Matching): Step {
  if (left.type === "scalar" && right.type === "scalar") return betweenScalars(operator, left, right);
  if (left.type === "vector" && right.type === "scalar") return withScalar(operator, left, right, false);
  if (left.type === "scalar" && right.type === "vector") return withScalar(operator, right, left, true);
  const vectors = [left, right] as unknown as readonly [VectorStep, VectorStep];
  return setOperators.has(operator.name)
    ? combined(operator.name, vectors, matching)
    : joined(operator, vectors, matching);
}

function betweenScalars({ name }: Operator, left: ScalarStep, right: ScalarStep): ScalarStep {
  const [compute, compare] = [arithmetic.get(name), comparisons.get(name)];
  return {
    type: "scalar",
    value(run) {
      const [a, b] = [left.value(run), right.value(run)];
      return compute?.(a, b) ?? (compare?.(a, b) === true ? 1 : 0);
    },
  };
}

/** A comparison keeps the value of the vector, on whichever side it is. */
function withScalar(
  { name, isBool }: Operator,
  vector: VectorStep,
  scalar: ScalarStep,
  isSwapped: boolean,
): VectorStep {
  const bare = memoized(withoutName);
  const [compute, compare] = [arithmetic.get(name), comparisons.get(name)];
  const order = (value: number, other: number): readonly [number, number] =>
    isSwapped ? [other, value] : [value, other];
  const operands = (run: Run): readonly [readonly Row[], number] => {
    // In the order of the query: the first to fail says why.
    if (!isSwapped) return [vector.rows(run), scalar.value(run)];
    const value = scalar.value(run);
    return [vector.rows(run), value];
  };
  if (compare !== undefined && !isBool)
    return {
      type: "vector",
      rows(run) {
        const [rows, other] = operands(run);
        return rows.filter(({ value }) => compare(...order(value, other)));
      },
    };
  const valueOf = compute ?? ((a: number, b: number) => (compare?.(a, b) === true ? 1 : 0));
  return {
    type: "vector",
    rows(run) {
      const [rows, other] = operands(run);
      return checked(
        run,
        rows.map(({ labels, value }) => ({ labels: bare(labels), value: valueOf(...order(value, other)) })),
      );
    },
  };
}
