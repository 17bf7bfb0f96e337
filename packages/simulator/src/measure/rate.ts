// Functions over the samples of a window, as Prometheus evaluates them.
import type { MetricMeaning } from "../scenario.ts";

/** Samples in time, the first `count` of these arrays, and the window that they are from. */
export interface Window {
  readonly atMs: Float64Array;
  readonly values: Float64Array;
  readonly count: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** The value of a function over a window; NaN where it has none. */
export function overWindow(query: MetricMeaning["query"], window: Window, promql: "2" | "3"): number {
  const { count, values } = window;
  if (count === 0) return NaN;
  switch (query) {
    case "rate":
      return extrapolated(window, promql) / ((window.toMs - window.fromMs) / 1000);
    case "increase":
      return extrapolated(window, promql);
    case "irate":
      return instantRate(window);
    case "avg_over_time":
      return kahanSum(window) / count;
    case "sum_over_time":
      return kahanSum(window);
    case "count_over_time":
      return count;
    case "max_over_time":
      return extreme(window, (a, b) => a > b);
    case "min_over_time":
      return extreme(window, (a, b) => a < b);
    case "last_over_time":
    case "value":
      return values[count - 1] ?? NaN;
  }
}

/** The increase over the samples, with what was counted before resets of the counter. */
function increaseOf({ values, count }: Window): number {
  let increase = at(values, count - 1) - at(values, 0);
  for (let index = 1; index < count; index++) {
    const before = at(values, index - 1);
    if (at(values, index) < before) increase += before;
  }
  return increase;
}

/**
 * The increase, extended to the edges of the window where samples come close to them. Version 3 applies the threshold
 * before it looks where the counter was zero, version 2 after.
 * @upstream promql/functions.go#extrapolatedRate
 */
function extrapolated(window: Window, promql: "2" | "3"): number {
  const { atMs, values, count, fromMs, toMs } = window;
  if (count < 2) return NaN;
  const increase = increaseOf(window);
  let toStart = (at(atMs, 0) - fromMs) / 1000;
  let toEnd = (toMs - at(atMs, count - 1)) / 1000;
  const sampled = (at(atMs, count - 1) - at(atMs, 0)) / 1000;
  const average = sampled / (count - 1);
  const threshold = average * 1.1;
  const first = at(values, 0);
  const toZero = increase > 0 && first >= 0 ? sampled * (first / increase) : Infinity;
  if (promql === "2") toStart = Math.min(toStart, toZero);
  if (toStart >= threshold) toStart = average / 2;
  if (promql === "3") toStart = Math.min(toStart, toZero);
  if (toEnd >= threshold) toEnd = average / 2;
  return increase * ((sampled + toStart + toEnd) / sampled);
}

/**
 * The first value from which on the zero of the counter plays no part in a rate, when the others rise from it as they
 * do: pods that are older than the window have one rate, whatever they counted before.
 */
export function zeroFreeFirst(query: MetricMeaning["query"], window: Window): number {
  if (query !== "rate" && query !== "increase") return 0;
  const { atMs, count, fromMs } = window;
  const sampled = at(atMs, count - 1) - at(atMs, 0);
  return sampled > 0 ? (increaseOf(window) * (at(atMs, 0) - fromMs)) / sampled : Infinity;
}

/** @upstream promql/functions.go#instantValue */
function instantRate({ atMs, values, count }: Window): number {
  if (count < 2) return NaN;
  const seconds = (at(atMs, count - 1) - at(atMs, count - 2)) / 1000;
  const [last, before] = [at(values, count - 1), at(values, count - 2)];
  return (last < before ? last : last - before) / seconds;
}

function kahanSum({ values, count }: Window): number {
  let sum = 0;
  let lost = 0;
  for (let index = 0; index < count; index++) {
    const value = at(values, index);
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + lost;
}

function extreme({ values, count }: Window, isBeyond: (a: number, b: number) => boolean): number {
  let found = at(values, 0);
  for (let index = 1; index < count; index++)
    if (isBeyond(at(values, index), found)) found = at(values, index);
  return found;
}

function at(list: Float64Array, index: number): number {
  return list[index] ?? NaN;
}
