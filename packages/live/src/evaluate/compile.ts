// Compiles a query: PromQL as far as a short window in memory answers it exactly.
import {
  checkSize,
  defaultLimits,
  parseStrictly,
  partsOf,
  Refused,
  readNumberLiteral,
  type SyntaxNode,
  shown,
} from "@plimsoll/prometheus/tree";
import { compileAggregation } from "./aggregate.ts";
import { compileCall } from "./calls.ts";
import { compileOperation } from "./operation.ts";
import { secondsOf } from "./over-range.ts";
import type { Plan, PlanRefusal, Selector, Step } from "./plan.ts";
import { invalid, type Source, unsupported } from "./refuse.ts";
import { renamed } from "./rows.ts";
import { compileSelector, rangeOf } from "./selector.ts";
import { valueAt } from "./series.ts";

/** Compiles once what is then evaluated every second. Pure and total. */
export function compileQuery(query: string): ({ readonly ok: true } & Plan) | PlanRefusal {
  const selectors: Selector[] = [];
  const source: Compilation = { query, selectors, compile: (node) => compileNode(source, node) };
  try {
    checkSize(query, defaultLimits);
    const [top] = partsOf(parseStrictly(query));
    const result = source.compile(top ?? parseStrictly(query));
    if (result.type === "matrix")
      throw invalid(query, top ?? parseStrictly(query), "is a range, not a result");
    const longestRangeMs = Math.max(0, ...selectors.map(({ rangeMs }) => rangeMs));
    return { ok: true, query, selectors, longestRangeMs, result };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { message, from, to } = error;
    return { ok: false, message, from, to };
  }
}

/** A plan that keeps every series of the metrics of another one; undefined when a selector names no metric. */
export function wholeOf({ selectors, longestRangeMs }: Plan): Plan | undefined {
  const names = [...new Set(selectors.map(({ name }) => name))];
  const read = names.map((name) => `{__name__=${JSON.stringify(name)}}`);
  const isRange = longestRangeMs > 0;
  const ranges = isRange ? read.map((one) => `count_over_time(${one}[${longestRangeMs}ms])`) : read;
  const compiled = compileQuery(ranges.join(" or "));
  return compiled.ok && !names.includes(undefined) ? compiled : undefined;
}

interface Compilation extends Source {
  readonly selectors: Selector[];
}

type Compile = (source: Compilation, node: SyntaxNode) => Step;

const compilers: ReadonlyMap<string, Compile> = new Map<string, Compile>([
  ["AggregateExpr", compileAggregation],
  ["BinaryExpr", compileOperation],
  ["FunctionCall", compileCall],
  ["MatrixSelector", range],
  ["NumberDurationLiteral", literal],
  ["ParenExpr", (source, node) => source.compile(partsOf(node)[0] ?? node)],
  ["UnaryExpr", signed],
  ["VectorSelector", newest],
]);

const names: Readonly<Record<string, string>> = {
  OffsetExpr: "offset",
  StepInvariantExpr: "@",
  SubqueryExpr: "a subquery",
  StringLiteral: "a text",
};

function compileNode(source: Compilation, node: SyntaxNode): Step {
  const compile = compilers.get(node.name);
  if (compile !== undefined) return compile(source, node);
  throw unsupported(names[node.name] ?? shown(source.query, node), node);
}

function addSelector({ query, selectors }: Compilation, node: SyntaxNode, rangeMs: number): Selector {
  if (selectors.length >= defaultLimits.selectors)
    throw new Refused("TooLarge", `there are more than ${defaultLimits.selectors} selectors`, node);
  const selector = compileSelector(query, node, { index: selectors.length, rangeMs });
  selectors.push(selector);
  return selector;
}

function newest(source: Compilation, node: SyntaxNode): Step {
  const selector = addSelector(source, node, 0);
  return {
    type: "vector",
    rows(run) {
      const series = run.seriesOf(selector);
      run.spend(series.length);
      return series.flatMap(({ labels, samples }) => {
        const value = valueAt(samples, run.atMs, run.lookbackMs);
        return value === undefined ? [] : [{ labels, value }];
      });
    },
  };
}

function range(source: Compilation, node: SyntaxNode): Step {
  const { selector, rangeMs } = rangeOf(source.query, node);
  return { type: "matrix", selector: addSelector(source, selector, rangeMs) };
}

function literal({ query }: Compilation, node: SyntaxNode): Step {
  const text = query.slice(node.from, node.to);
  const read = readNumberLiteral(text);
  const isEndless = /inf\s*$/i.test(text);
  if (read === undefined || (Math.abs(read.value) === Number.POSITIVE_INFINITY && !isEndless))
    throw invalid(query, node, "is not a number");
  const isDuration = /[smhdwy]$/.test(read.text) && !/^[-+]?0x/i.test(read.text);
  const value = isDuration ? secondsOf(Math.round(read.value * 1000)) : read.value;
  return { type: "scalar", value: () => value };
}

function signed(source: Compilation, node: SyntaxNode): Step {
  const [sign, operand] = partsOf(node);
  const step = source.compile(operand ?? node);
  if (step.type === "matrix") throw invalid(source.query, node, "a range has no sign");
  if (sign === undefined || source.query.slice(sign.from, sign.to) === "+") return step;
  if (step.type === "scalar") return { type: "scalar", value: (run) => -step.value(run) };
  const negate = renamed((value) => -value);
  return { type: "vector", rows: (run) => negate(run, step.rows(run)) };
}
