// Finds the values at which one metric proposes so many replicas.
import { decide } from "../../decide/decide.ts";
import type { DecideInput, HpaMemory } from "../../objects/decision.ts";
import type { MetricTrace } from "../../objects/trace/metric.ts";
import { milliText } from "../../values/quantity/format.ts";
import { quantityOf } from "../../values/quantity/milli.ts";
import { hasTotal, metricName } from "../explain/metric-rows.ts";
import { metricOf } from "../summary/step-of.ts";
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
    const range = rangeOf(scaled);
    if (range !== undefined) return neededOf(scaled, range);
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

function neededOf(query: ScaledQuery, [first, last]: Range): Needed {
  const { metric, measured, unit } = query;
  return {
    metric: metric.index,
    name: metricName(metric),
    ...(metric.target?.type === "AverageValue" && !hasTotal(metric) ? { per: "each" as const } : {}),
    now: measured.now === undefined ? "?" : textOf(metric, measured.now),
    needed: textOf(metric, first * unit),
    ...(last === undefined || last <= first ? {} : { upTo: textOf(metric, last * unit) }),
    apply: (input) => withSamples(input, metric.index, measured.samplesAt(first * unit)),
  };
}

/** In units; without a last one when there is none. */
type Range = readonly [first: number, last: number | undefined];

/**
 * Proposals rise with the value below the tolerance, and again above it. Within it they are those of now, which may be
 * more or fewer than on either side, where pods and replicas are not the same number.
 */
function rangeOf(query: ScaledQuery): Range | undefined {
  const { measured, unit, n } = query;
  const atTarget = Math.floor(measured.atTarget / unit);
  const highest = Math.floor(Number.MAX_SAFE_INTEGER / unit / 1000);
  const calm = toleratedFrom(query, atTarget);
  const below = lowestFor(query, n, { from: -1, to: calm - 1 });
  if (below !== undefined && proposal(query, below) === n) return lastOf(query, below, calm - 1);
  const isCalm = proposal(query, calm) === n;
  const first = isCalm ? calm : lowestFor(query, n, { from: Math.max(atTarget, calm), to: highest });
  return first === undefined || proposal(query, first) !== n ? undefined : lastOf(query, first, highest);
}

function lastOf(query: ScaledQuery, first: number, to: number): Range {
  const next = lowestFor(query, query.n + 1, { from: first, to });
  const last =
    next === undefined ? (to < Number.MAX_SAFE_INTEGER / query.unit / 1001 ? to : undefined) : next - 1;
  return [first, last !== undefined && proposal(query, last) === query.n ? last : undefined];
}

/** The lowest value that is within the tolerance, or the target itself. */
function toleratedFrom(query: ScaledQuery, atTarget: number): number {
  const { metric, budget } = query;
  const guess = Math.ceil(atTarget * (1 - (metric.tolerance?.down ?? 0.1)));
  const isTolerated = (value: number) => stepAt(query, value)?.rule === "within-tolerance";
  return lowest(isTolerated, { from: -1, to: atTarget, guess }, budget) ?? atTarget;
}

/** The lowest value, in units, of a range at which the metric proposes `n` or more. */
function lowestFor(
  query: ScaledQuery,
  n: number,
  { from, to }: { readonly from: number; readonly to: number },
): number | undefined {
  const { metric, measured, unit, budget } = query;
  if (to <= from) return undefined;
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
function proposal(query: ScaledQuery, value: number): number | undefined {
  const step = stepAt(query, value);
  return step?.error === undefined ? step?.replicas : undefined;
}

function stepAt(
  { input, memory, metric, measured, unit }: ScaledQuery,
  value: number,
): MetricTrace | undefined {
  const { decision } = decide(withSamples(input, metric.index, measured.samplesAt(value * unit)), memory);
  return metricOf(decision.trace, metric.index);
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
