// Finds the values at which one metric proposes so many replicas.
import { decide } from "../decide/decide.ts";
import { hasTotal, metricName } from "../explain/metric-rows.ts";
import { milliText } from "../quantity/format.ts";
import { quantityOf } from "../quantity/milli.ts";
import type { DecideInput, HpaMemory } from "../spec/decision.ts";
import { metricOf } from "../summary/step-of.ts";
import type { MetricTrace } from "../trace/metric.ts";
import { type Measured, measuredOf, withSamples } from "../what-if/measured.ts";
import { type Budget, lowest } from "./search.ts";
import type { NeededValue } from "./types.ts";

/** `decide` is queried at most 40 times for each metric: this many to find values, the others to check them. */
const maxCalls = 33;

/** Values for one metric, and the input with them. */
export interface Needed extends NeededValue {
  apply(input: DecideInput): DecideInput;
}

interface Query {
  readonly input: DecideInput;
  readonly memory: HpaMemory | undefined;
  readonly n: number;
}

/** The values with which a metric proposes `n`, or undefined when there are none that are found. */
export function neededValue(query: Query, metric: MetricTrace): Needed | undefined {
  const measured = measuredOf(query.input, metric);
  if (measured === undefined) return undefined;
  const budget: Budget = { left: maxCalls };
  for (const unit of unitsOf(metric, measured)) {
    const scaled = { ...query, metric, measured, unit, budget };
    const first = lowestFor(scaled, query.n);
    if (first !== undefined && proposal(scaled, first) === query.n) return neededOf(scaled, first);
  }
  return undefined;
}

interface ScaledQuery extends Query {
  readonly metric: MetricTrace;
  readonly measured: Measured;
  /** Values are multiples of this many percent, or thousandths. */
  readonly unit: number;
  readonly budget: Budget;
}

function neededOf(query: ScaledQuery, first: number): Needed | undefined {
  const { metric, measured, unit, n } = query;
  if (first > 0 && proposal(query, first - 1) === n) return undefined;
  const next = lowestFor(query, n + 1, first);
  const last = next === undefined ? undefined : next - 1;
  const isRange = last !== undefined && last > first && proposal(query, last) === n;
  return {
    metric: metric.index,
    name: metricName(metric),
    ...(metric.target?.type === "AverageValue" && !hasTotal(metric) ? { per: "each" as const } : {}),
    now: measured.now === undefined ? "?" : textOf(metric, measured.now),
    needed: textOf(metric, first * unit),
    ...(isRange ? { upTo: textOf(metric, last * unit) } : {}),
    apply: (input) => withSamples(input, metric.index, measured.samplesAt(first * unit)),
  };
}

/** The lowest value, in units, at which the metric proposes `n` or more; it is sought on the side of the target where it lies. */
function lowestFor(query: ScaledQuery, n: number, above?: number): number | undefined {
  const { metric, measured, unit, budget } = query;
  const { currentReplicas } = metric;
  const atTarget = Math.floor(measured.atTarget / unit);
  const isUp = n > currentReplicas;
  const from = Math.max(isUp ? atTarget : -1, above ?? -1);
  const to = isUp ? Math.floor(Number.MAX_SAFE_INTEGER / unit / 1000) : atTarget;
  const guess = Math.floor(guessOf(metric, measured, n - 1) / unit) + 1;
  return lowest((value) => (proposal(query, value) ?? 0) >= n, { from, to, guess }, budget);
}

/** The value that gives exactly `n` where nothing but a ratio and ready pods counts. */
function guessOf(metric: MetricTrace, measured: Measured, n: number): number {
  const { target, counts, second, currentReplicas, statusReplicas = currentReplicas } = metric;
  const isDivided = hasTotal(metric) && target?.type === "AverageValue";
  const pods = second?.pods ?? counts?.ready ?? currentReplicas;
  if (isDivided) return (measured.atTarget / Math.max(1, statusReplicas)) * n;
  return (measured.atTarget * n) / Math.max(1, pods);
}

/** What the metric proposes at a value; undefined when it fails. */
function proposal({ input, memory, metric, measured, unit }: ScaledQuery, value: number): number | undefined {
  const { decision } = decide(withSamples(input, metric.index, measured.samplesAt(value * unit)), memory);
  const step = metricOf(decision.trace, metric.index);
  return step?.error === undefined ? step?.replicas : undefined;
}

/** Coarse units first: a value is to be read by people. */
function unitsOf({ target, first }: MetricTrace, { unit, now = 0 }: Measured): readonly number[] {
  if (unit === "percent") return [1];
  if (isBinary(target?.value)) {
    const amount = quantityAmount(target?.value);
    return [mebi, kibi, 1000, 1].filter((size) => amount >= 64 * size || size <= 1000);
  }
  const isWhole = quantityAmount(target?.value) % 1000 === 0 && now % 1000 === 0 && first !== undefined;
  return isWhole ? [1000, 1] : [1];
}

const kibi = 1024 * 1000;
const mebi = 1024 * kibi;

function textOf({ target }: MetricTrace, value: number): string {
  if (target?.type === "Utilization") return `${value}%`;
  return milliText(value, isBinary(target?.value) ? "BinarySI" : "DecimalSI");
}

function isBinary(text: string | undefined): boolean {
  return quantityOf(text)?.format === "BinarySI";
}

function quantityAmount(text: string | undefined): number {
  const milli = quantityOf(text);
  return milli === undefined ? 0 : Number(milli.unscaled) * 10 ** (milli.exponent + 3);
}
