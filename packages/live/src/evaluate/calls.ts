// Compiles function calls.
import { argumentsOf, nameOf, type SyntaxNode } from "@plimsoll/prometheus/tree";
import { type LabelSet, noLabels, withoutName } from "../labels.ts";
import { histogramQuantile } from "./histogram.ts";
import { keepsName, type OverRange, overRange, quantileOver } from "./over-range.ts";
import type { Row, Run, ScalarStep, Selector, Step, VectorStep } from "./plan.ts";
import { invalid, type Source, scalarOf, unsupported, vectorOf, wrongCount } from "./refuse.ts";
import { checked, renamed } from "./rows.ts";
import { readRange } from "./series.ts";

/** @throws Refused */
export function compileCall(source: Source, node: SyntaxNode): Step {
  const name = nameOf(source.query, node);
  const call: Call = { source, node, name, args: argumentsOf(node) };
  const over = overRange.get(name);
  if (over !== undefined) return applied(rangeArgument(call, 0, 1), name, () => over);
  const compile = functions.get(name);
  if (compile === undefined) throw unsupported(`${name}()`, node);
  return compile(call);
}

interface Call {
  readonly source: Source;
  readonly node: SyntaxNode;
  readonly name: string;
  readonly args: readonly SyntaxNode[];
}

const functions: ReadonlyMap<string, (call: Call) => Step> = new Map<string, (call: Call) => Step>([
  ["abs", absolute],
  ["clamp", (call) => clamped(call, scalarArgument(call, 1, 3), scalarArgument(call, 2, 3))],
  ["clamp_min", (call) => clamped(call, scalarArgument(call, 1, 2), always(Number.POSITIVE_INFINITY))],
  ["clamp_max", (call) => clamped(call, always(Number.NEGATIVE_INFINITY), scalarArgument(call, 1, 2))],
  ["histogram_quantile", ofHistogram],
  ["quantile_over_time", quantileOfRange],
  ["scalar", scalarOfVector],
  ["vector", vectorOfScalar],
]);

function argument({ source, node, name, args }: Call, at: number, count: number): SyntaxNode {
  const found = args[at];
  if (found !== undefined && args.length === count) return found;
  throw wrongCount(source.query, node, { name, expected: count, found: args.length });
}

function vectorArgument(call: Call, at: number, count: number): VectorStep {
  return vectorOf(call.source, argument(call, at, count), `the argument of ${call.name}()`);
}

function scalarArgument(call: Call, at: number, count: number): ScalarStep {
  return scalarOf(call.source, argument(call, at, count), `the argument of ${call.name}()`);
}

function rangeArgument(call: Call, at: number, count: number): Selector {
  const node = argument(call, at, count);
  const step = call.source.compile(node);
  if (step.type === "matrix") return step.selector;
  throw invalid(call.source.query, node, `${call.name}() needs a range, such as ${call.name}(x[10s])`);
}

function always(value: number): ScalarStep {
  return { type: "scalar", value: () => value };
}

function onlyValue(rows: readonly Row[]): number {
  return rows.length === 1 ? (rows[0]?.value ?? Number.NaN) : Number.NaN;
}

function applied(selector: Selector, name: string, functionOf: (run: Run) => OverRange): VectorStep {
  const bare = keepsName.has(name) ? (labels: LabelSet) => labels : withoutName;
  return {
    type: "vector",
    rows(run) {
      const compute = functionOf(run);
      const range = { startMs: run.atMs - selector.rangeMs, endMs: run.atMs };
      const rows: Row[] = [];
      for (const { labels, samples } of run.seriesOf(selector)) {
        readRange(samples, range.startMs, range.endMs, run.points);
        if (run.points.from === run.points.to) continue;
        run.spend(run.points.to - run.points.from);
        const value = compute(run.points, range);
        if (value !== undefined) rows.push({ labels: bare(labels), value });
      }
      return checked(run, rows);
    },
  };
}

function absolute(call: Call): VectorStep {
  const { rows } = vectorArgument(call, 0, 1);
  const compute = renamed(Math.abs);
  return { type: "vector", rows: (run) => compute(run, rows(run)) };
}

function ofHistogram(call: Call): VectorStep {
  const [q, buckets] = [scalarArgument(call, 0, 2), vectorArgument(call, 1, 2)];
  const quantile = histogramQuantile();
  return { type: "vector", rows: (run) => quantile(run, q.value(run), buckets.rows(run)) };
}

function quantileOfRange(call: Call): VectorStep {
  const [q, selector] = [scalarArgument(call, 0, 2), rangeArgument(call, 1, 2)];
  return applied(selector, call.name, (run) => {
    const wanted = q.value(run);
    return (points) => quantileOver(points, wanted);
  });
}

function scalarOfVector(call: Call): ScalarStep {
  const { rows } = vectorArgument(call, 0, 1);
  return { type: "scalar", value: (run) => onlyValue(rows(run)) };
}

function vectorOfScalar(call: Call): VectorStep {
  const { value } = scalarArgument(call, 0, 1);
  return { type: "vector", rows: (run) => [{ labels: noLabels, value: value(run) }] };
}

function clamped(call: Call, min: ScalarStep, max: ScalarStep): VectorStep {
  const { rows } = vectorArgument(call, 0, call.args.length);
  return {
    type: "vector",
    rows(run) {
      const found = rows(run);
      const [least, most] = [min.value(run), max.value(run)];
      if (most < least) return [];
      return checked(
        run,
        found.map(({ labels, value }) => ({
          labels: withoutName(labels),
          value: larger(least, smaller(most, value)),
        })),
      );
    },
  };
}

/** As Go's math.Max: an infinite bound wins over NaN. */
function larger(a: number, b: number): number {
  return a === Number.POSITIVE_INFINITY || b === Number.POSITIVE_INFINITY
    ? Number.POSITIVE_INFINITY
    : Math.max(a, b);
}

function smaller(a: number, b: number): number {
  return -larger(-a, -b);
}
