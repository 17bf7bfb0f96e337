// Functions over the samples of one series in a range.
import { quantileOf } from "./quantile.ts";
import type { Points } from "./series.ts";
import { addTo, addToMean, isInfinite, meanOf, resultOf } from "./sums.ts";

export interface Range {
  readonly startMs: number;
  readonly endMs: number;
}

/** Called with at least one sample. Undefined: the series has no result. */
export type OverRange = (points: Points, range: Range) => number | undefined;

function at({ values }: Points, place: number): number {
  return values[place] ?? Number.NaN;
}

function firstOf(points: Points): number {
  return at(points, points.from);
}

function lastOf(points: Points): number {
  return at(points, points.to - 1);
}

/** In seconds, computed as Go does it: whole seconds and the rest apart. */
export function secondsOf(ms: number): number {
  return Math.trunc(ms / 1000) + ((ms % 1000) * 1e6) / 1e9;
}

/** By how much the samples rose; with every fall of a counter as a restart from 0. */
function riseOf(points: Points, isCounter: boolean): number {
  let rise = lastOf(points) - firstOf(points);
  if (!isCounter) return rise;
  for (let place = points.from + 1; place < points.to; place += 1) {
    const before = at(points, place - 1);
    if (at(points, place) < before) rise += before;
  }
  return rise;
}

/**
 * The rise over the whole range: where the first or last sample is nearer to its end of the range than samples are to each
 * other, the series is taken to go on up to there; otherwise for half of that distance. A counter does not start below 0.
 * @upstream prometheus/prometheus promql/functions.go#extrapolatedRate
 */
function extrapolated({ isCounter, isRate }: { isCounter: boolean; isRate: boolean }): OverRange {
  return (points, { startMs, endMs }) => {
    const gaps = points.to - points.from - 1;
    if (gaps < 1) return undefined;
    const [firstMs, lastMs] = [points.times[points.from] ?? 0, points.times[points.to - 1] ?? 0];
    const rise = riseOf(points, isCounter);
    const sampled = (lastMs - firstMs) / 1000;
    const gap = sampled / gaps;
    let before = extension((firstMs - startMs) / 1000, gap);
    if (isCounter && rise > 0 && firstOf(points) >= 0) {
      const sinceZero = sampled * (firstOf(points) / rise);
      if (sinceZero < before) before = sinceZero;
    }
    const factor = (sampled + before + extension((endMs - lastMs) / 1000, gap)) / sampled;
    return rise * (isRate ? factor / secondsOf(endMs - startMs) : factor);
  };
}

function extension(toEnd: number, gap: number): number {
  return toEnd >= gap * 1.1 ? gap / 2 : toEnd;
}

/** The rise of the last two samples. @upstream prometheus/prometheus promql/functions.go#instantValue */
function lastRise({ isRate }: { isRate: boolean }): OverRange {
  return (points) => {
    if (points.to - points.from < 2) return undefined;
    const [before, last] = [at(points, points.to - 2), lastOf(points)];
    const rise = isRate && last < before ? last : last - before;
    const ms = (points.times[points.to - 1] ?? 0) - (points.times[points.to - 2] ?? 0);
    return isRate ? rise / (ms / 1000) : rise;
  };
}

function sum(points: Points): number {
  const total = { value: 0, rest: 0 };
  for (let place = points.from; place < points.to; place += 1) addTo(total, at(points, place));
  return isInfinite(total.value) ? total.value : total.value + total.rest;
}

function mean(points: Points): number {
  const result = meanOf(firstOf(points));
  for (let place = points.from + 1; place < points.to; place += 1) addToMean(result, at(points, place));
  return resultOf(result);
}

/** NaN only when there is nothing else. */
function best(isBetter: (value: number, than: number) => boolean): OverRange {
  return (points) => {
    let found = firstOf(points);
    for (let place = points.from; place < points.to; place += 1) {
      const value = at(points, place);
      if (isBetter(value, found) || Number.isNaN(found)) found = value;
    }
    return found;
  };
}

/** @upstream prometheus/prometheus promql/functions.go#varianceOverTime */
function variance(points: Points): number {
  const [mean, squares] = [
    { value: 0, rest: 0 },
    { value: 0, rest: 0 },
  ];
  for (let place = points.from; place < points.to; place += 1) {
    const value = at(points, place);
    const distance = value - (mean.value + mean.rest);
    addTo(mean, distance / (place - points.from + 1));
    addTo(squares, distance * (value - (mean.value + mean.rest)));
  }
  return (squares.value + squares.rest) / (points.to - points.from);
}

/** By the name in PromQL. */
export const overRange: ReadonlyMap<string, OverRange> = new Map<string, OverRange>([
  ["rate", extrapolated({ isCounter: true, isRate: true })],
  ["increase", extrapolated({ isCounter: true, isRate: false })],
  ["delta", extrapolated({ isCounter: false, isRate: false })],
  ["irate", lastRise({ isRate: true })],
  ["idelta", lastRise({ isRate: false })],
  ["sum_over_time", sum],
  ["avg_over_time", mean],
  ["min_over_time", best((value, than) => value < than)],
  ["max_over_time", best((value, than) => value > than)],
  ["count_over_time", ({ from, to }) => to - from],
  ["last_over_time", lastOf],
  ["present_over_time", () => 1],
  ["stdvar_over_time", variance],
  ["stddev_over_time", (points) => Math.sqrt(variance(points))],
]);

/** Of `quantile_over_time`. */
export function quantileOver({ values, from, to }: Points, q: number): number {
  return quantileOf(q, [...values.subarray(from, to)]);
}

/** Those that answer with a sample as it was keep the name of its metric. */
export const keepsName: ReadonlySet<string> = new Set(["last_over_time"]);
