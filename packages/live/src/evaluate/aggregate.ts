// Compiles and runs aggregations.
import { argumentsOf, groupingOf, nameOf, type SyntaxNode } from "@plimsoll/prometheus/tree";
import { type LabelSet, nameLabel, only, without } from "../labels.ts";
import type { Run, ScalarStep, VectorStep } from "./plan.ts";
import { quantileOf } from "./quantile.ts";
import { invalid, type Source, scalarOf, unsupported, vectorOf, wrongCount } from "./refuse.ts";
import { addTo, addToMean, isInfinite, meanOf, resultOf } from "./sums.ts";

/** The values of a group, one after the other. */
interface Group {
  add(value: number): void;
  result(): number;
}

/** A group of its first value. @upstream prometheus/prometheus promql/engine.go#aggregation */
type Aggregator = (first: number, parameter: number) => Group;

function best(isBetter: (value: number, than: number) => boolean): Aggregator {
  return (first) => {
    let found = first;
    return {
      add(value) {
        if (isBetter(value, found) || Number.isNaN(found)) found = value;
      },
      result: () => found,
    };
  };
}

function variance(resultOf: (variance: number) => number): Aggregator {
  return (first) => {
    let [count, mean] = [1, first];
    let squares = Number.isNaN(first) || isInfinite(first) ? Number.NaN : 0;
    return {
      add(value) {
        count += 1;
        const distance = value - mean;
        mean += distance / count;
        squares += distance * (value - mean);
      },
      result: () => resultOf(squares / count),
    };
  };
}

const aggregators: ReadonlyMap<string, Aggregator> = new Map<string, Aggregator>([
  [
    "sum",
    (first) => {
      const sum = { value: first, rest: 0 };
      return { add: (value) => addTo(sum, value), result: () => sum.value + sum.rest };
    },
  ],
  [
    "avg",
    (first) => {
      const mean = meanOf(first);
      return { add: (value) => addToMean(mean, value), result: () => resultOf(mean) };
    },
  ],
  ["min", best((value, than) => value < than)],
  ["max", best((value, than) => value > than)],
  [
    "count",
    () => {
      let count = 1;
      return { add: () => void (count += 1), result: () => count };
    },
  ],
  ["group", () => ({ add: () => undefined, result: () => 1 })],
  ["stdvar", variance((found) => found)],
  ["stddev", variance(Math.sqrt)],
  [
    "quantile",
    (first, q) => {
      const values = [first];
      return { add: (value) => void values.push(value), result: () => quantileOf(q, values) };
    },
  ],
]);

/** @throws Refused */
export function compileAggregation(source: Source, node: SyntaxNode): VectorStep {
  const name = nameOf(source.query, node).toLowerCase();
  const aggregator = aggregators.get(name);
  if (aggregator === undefined) throw unsupported(`${name}()`, node);
  const { parameter, over } = operands(source, node, name);
  const { keyOf, labelsOf } = grouping(source.query, node);
  return {
    type: "vector",
    rows(run) {
      const value = parameter?.value(run) ?? 0;
      const groups = new Map<string, { readonly labels: LabelSet; readonly group: Group }>();
      for (const row of over.rows(run)) {
        const key = keyOf(row.labels);
        const known = groups.get(key);
        if (known !== undefined) known.group.add(row.value);
        else groups.set(key, { labels: labelsOf(row.labels), group: aggregator(row.value, value) });
      }
      return resultsOf(run, groups);
    },
  };
}

function resultsOf(
  run: Run,
  groups: ReadonlyMap<string, { readonly labels: LabelSet; readonly group: Group }>,
): { readonly labels: LabelSet; readonly value: number }[] {
  run.spend(groups.size);
  return Array.from(groups.values(), ({ labels, group }) => ({ labels, value: group.result() }));
}

function operands(
  source: Source,
  node: SyntaxNode,
  name: string,
): { readonly parameter?: ScalarStep; readonly over: VectorStep } {
  const args = argumentsOf(node);
  const expected = name === "quantile" ? 2 : 1;
  const [first, last] = [args[0], args.at(-1)];
  if (first === undefined || last === undefined || args.length !== expected)
    throw wrongCount(source.query, node, { name, expected, found: args.length });
  const over = vectorOf(source, last, `what ${name}() aggregates`);
  return expected === 1
    ? { over }
    : { parameter: scalarOf(source, first, `the first argument of ${name}()`), over };
}

function grouping(
  query: string,
  node: SyntaxNode,
): { keyOf(labels: LabelSet): string; labelsOf(labels: LabelSet): LabelSet } {
  const { isBy, labels } = groupingOf(query, node);
  if (labels.includes("")) throw invalid(query, node, "a label has no name");
  const names = new Set(isBy ? labels : [...labels, nameLabel]);
  const labelsOf = (found: LabelSet): LabelSet => (isBy ? only(found, names) : without(found, names));
  return { keyOf: (found) => labelsOf(found).key, labelsOf };
}
