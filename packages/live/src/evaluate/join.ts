// Operations between two vectors, whose rows match by their labels.
import {
  type LabelSet,
  memoized,
  only,
  textOf,
  valueOf,
  withLabel,
  without,
  withoutName,
} from "../labels.ts";
import { type Matching, signature } from "./matching.ts";
import { arithmetic, comparisons, type Operator } from "./operators.ts";
import { EvaluationError, type Row, type VectorStep } from "./plan.ts";
import { checked } from "./rows.ts";

/** @upstream prometheus/prometheus promql/engine.go#VectorBinop */
export function joined(
  operator: Operator,
  [left, right]: readonly [VectorStep, VectorStep],
  matching: Matching,
): VectorStep {
  const signatureOf = signature(matching);
  const labelsOf = resultLabels(operator, matching);
  const valueOf = valueFunction(operator);
  const isSwapped = matching.many === "right";
  return {
    type: "vector",
    rows(run) {
      const [first, second] = [left.rows(run), right.rows(run)];
      if (first.length === 0 || second.length === 0) return [];
      const [many, ones] = isSwapped ? [second, first] : [first, second];
      const oneOf = bySignature(ones, signatureOf);
      const seen = new Set<string>();
      const rows: Row[] = [];
      for (const row of many) {
        const key = signatureOf(row.labels);
        const one = oneOf.get(key);
        if (one === undefined) continue;
        const value = isSwapped ? valueOf(one.value, row.value) : valueOf(row.value, one.value);
        if (value === undefined) continue;
        const labels = labelsOf(row.labels, one.labels);
        const part = matching.many === undefined ? key : `${key} ${labels.key}`;
        if (seen.size === seen.add(part).size) throw severalMatches(row.labels, matching);
        rows.push({ labels, value });
      }
      return checked(run, rows);
    },
  };
}

/** Undefined: the comparison drops the row. */
function valueFunction({ name, isBool }: Operator): (left: number, right: number) => number | undefined {
  const compute = arithmetic.get(name);
  if (compute !== undefined) return compute;
  const compare = comparisons.get(name) ?? (() => false);
  if (isBool) return (left, right) => (compare(left, right) ? 1 : 0);
  return (left, right) => (compare(left, right) ? left : undefined);
}

function bySignature(
  rows: readonly Row[],
  signatureOf: (labels: LabelSet) => string,
): ReadonlyMap<string, Row> {
  const found = new Map<string, Row>();
  for (const row of rows) {
    const key = signatureOf(row.labels);
    const other = found.get(key);
    if (other !== undefined) {
      const both = `${textOf(row.labels)} and ${textOf(other.labels)}`;
      throw new EvaluationError(
        "Match",
        `${both} match the same series: match by a label in which they differ`,
      );
    }
    found.set(key, row);
  }
  return found;
}

function severalMatches(labels: LabelSet, { many }: Matching): EvaluationError {
  const message =
    many === undefined
      ? `${textOf(labels)} is one of several series that match the same one: say so with group_left or group_right`
      : `${textOf(labels)} has the same labels in the result as another series of its match`;
  return new EvaluationError("Match", message);
}

/** @upstream prometheus/prometheus promql/engine.go#resultMetric */
function resultLabels(
  { name, isBool }: Operator,
  { isOn, labels, many, included }: Matching,
): (ofMany: LabelSet, ofOne: LabelSet) => LabelSet {
  const names = new Set(labels);
  const isReduced = many === undefined;
  const reduced = memoized((found) => {
    const bare = arithmetic.has(name) ? withoutName(found) : found;
    if (!isReduced) return bare;
    return isOn ? only(bare, names) : without(bare, names);
  });
  const bare = memoized(withoutName);
  const finish = (found: LabelSet): LabelSet => (isBool ? bare(found) : found);
  if (included.length === 0) return (ofMany) => finish(reduced(ofMany));
  return (ofMany, ofOne) =>
    finish(
      included.reduce((found, label) => withLabel(found, label, valueOf(ofOne, label)), reduced(ofMany)),
    );
}

/** and, or, and unless. @upstream prometheus/prometheus promql/engine.go#VectorAnd */
export function combined(
  operator: string,
  [left, right]: readonly [VectorStep, VectorStep],
  matching: Matching,
): VectorStep {
  const signatureOf = signature(matching);
  const matches = (rows: readonly Row[]): ((row: Row) => boolean) => {
    const found = new Set(rows.map(({ labels }) => signatureOf(labels)));
    return ({ labels }) => found.has(signatureOf(labels));
  };
  return {
    type: "vector",
    rows(run) {
      const [ours, others] = [left.rows(run), right.rows(run)];
      if (operator === "Or") {
        const isOurs = matches(ours);
        return checked(run, [...ours, ...others.filter((row) => !isOurs(row))]);
      }
      const isOther = matches(others);
      run.spend(ours.length);
      return ours.filter((row) => isOther(row) === (operator === "And"));
    },
  };
}
