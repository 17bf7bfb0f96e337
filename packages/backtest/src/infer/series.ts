// What all pods of a workload had together of a metric, whatever their count was, out of the values of single pods.
import type { PointsLoad } from "@plimsoll/simulator";
import type { RecordedSpan } from "../replay/recording.ts";
import { createBandSystem, type Equation } from "./band-matrix.ts";
import type { Observation } from "./observations.ts";
import type { Serving } from "./serving.ts";

/** The sum of a metric over all pods: it is conserved, whatever their count is. */
export interface InferredSeries {
  readonly fromMs: number;
  /** Each value is the mean over so long. */
  readonly bucketMs: number;
  readonly perSecond: Float64Array;
  /** Shorter than this nothing is known of what happens within: the mean of a sample is over so long. */
  readonly resolutionMs: number;
  /** Without samples, and short enough to be bridged. */
  readonly bridged: readonly RecordedSpan[];
  /** Without samples, and too long. */
  readonly leftOut: readonly RecordedSpan[];
}

/** A longer time without samples is not bridged. */
export const maxBridgedMs = 300_000;
/** A load that bends is as bad as one that misses a sample by this part: it decides what samples leave open. */
const bend = 0.01;

/** Undefined where nothing was observed. Buckets are about as long as what is between two samples. */
export function inferSeries(
  observations: readonly Observation[],
  { serving, span }: { readonly serving: Serving; readonly span: RecordedSpan },
  bucketMs: number,
): InferredSeries | undefined {
  const [first] = observations;
  if (first === undefined) return undefined;
  const earliestMs = observations.reduce((min, { spans }) => Math.min(min, startOf(spans)), span.fromMs);
  const fromMs = span.fromMs - Math.ceil((span.fromMs - earliestMs) / bucketMs) * bucketMs;
  const size = Math.ceil((span.toMs - fromMs) / bucketMs);
  const grid: Grid = { fromMs, bucketMs, size };
  const isKnown = new Uint8Array(size);
  const perSecond = solved(observations, serving, { grid, isKnown });
  const gaps = gapsOf(isKnown, grid).filter(
    (gap) => gap.toMs > span.fromMs && gap.toMs - gap.fromMs > 2 * bucketMs,
  );
  for (const gap of gaps) fillLine(perSecond, gap, grid);
  return {
    fromMs,
    bucketMs,
    perSecond,
    resolutionMs: Math.max(bucketMs, ...first.spans.map((one) => one.toMs - one.fromMs)),
    ...splitGaps(gaps),
  };
}

/** As the load of a scenario; before the first value the first counts. */
export function loadOf({ fromMs, bucketMs, perSecond }: InferredSeries): PointsLoad {
  const dayMs = 86_400_000;
  return {
    kind: "points",
    shape: "steps",
    atMs: [fromMs - dayMs, ...Array.from(perSecond, (_, at) => fromMs + at * bucketMs)],
    perSecond: [perSecond[0] ?? 0, ...perSecond],
  };
}

interface Grid {
  readonly fromMs: number;
  readonly bucketMs: number;
  readonly size: number;
}

/** Whole seconds as often as there are samples. */
export function bucketOf(atMs: readonly number[], scrapeMs: number): number {
  return Math.max(1000, scrapeMs, Math.floor(usualDistance(atMs) / 1000) * 1000);
}

export function usualDistance(atMs: readonly number[]): number {
  const distances = atMs.slice(1, 1000).map((one, at) => one - (atMs[at] ?? 0));
  return distances.toSorted((a, b) => a - b)[distances.length >>> 1] ?? 0;
}

/** Those that are bridged, and those that are left out. */
export function splitGaps(gaps: readonly RecordedSpan[]): Pick<InferredSeries, "bridged" | "leftOut"> {
  const isLong = ({ fromMs, toMs }: RecordedSpan): boolean => toMs - fromMs > maxBridgedMs;
  return { bridged: gaps.filter((gap) => !isLong(gap)), leftOut: gaps.filter(isLong) };
}

function startOf(spans: readonly RecordedSpan[]): number {
  return Math.min(...spans.map(({ fromMs }) => fromMs));
}

function solved(
  observations: readonly Observation[],
  serving: Serving,
  { grid, isKnown }: { readonly grid: Grid; readonly isKnown: Uint8Array },
): Float64Array {
  const rows = observations.flatMap((one) => rowOf(one, serving, grid) ?? []);
  const width = rows.reduce((max, { weights }) => Math.max(max, weights.length), 3);
  const system = createBandSystem(grid.size, Math.min(width, grid.size));
  for (const row of rows) {
    system.add(row);
    for (const [at, weight] of row.weights.entries()) if (weight > 0) isKnown[row.first + at] = 1;
  }
  for (let at = 0; at + 2 < grid.size; at++)
    system.add({ first: at, weights: [1, -2, 1], value: 0, by: bend });
  return system.solve().map((value) => Math.max(0, value));
}

/** A pod's mean is that of load/pods: the mean of the load with weights that are 1 together, times its pods. */
function rowOf({ spans, perPod, by }: Observation, serving: Serving, grid: Grid): Equation | undefined {
  const { fromMs, bucketMs, size } = grid;
  const bucketAt = (atMs: number): number => Math.floor((atMs - fromMs) / bucketMs);
  const first = Math.max(0, bucketAt(startOf(spans)));
  const last = Math.min(size - 1, bucketAt(Math.max(...spans.map(({ toMs }) => toMs)) - 1));
  const weights = Array.from({ length: Math.max(0, last - first + 1) }, () => 0);
  let [lengthMs, share] = [0, 0];
  for (const span of spans) {
    lengthMs += span.toMs - span.fromMs;
    for (let at = first; at <= last; at++) {
      const from = Math.max(span.fromMs, fromMs + at * bucketMs);
      const to = Math.min(span.toMs, fromMs + (at + 1) * bucketMs);
      if (to <= from) continue;
      const own = serving.shareOf(from, to);
      weights[at - first] = (weights[at - first] ?? 0) + own;
      share += own;
    }
  }
  if (!(share > 0)) return undefined;
  return { first, weights: weights.map((weight) => weight / share), value: (perPod * lengthMs) / share, by };
}

/** So many buckets are an end of a gap: the slope of fewer is noise. */
const endBuckets = 4;

/** From the load before a gap to the load behind it. */
function fillLine(perSecond: Float64Array, gap: RecordedSpan, { fromMs, bucketMs }: Grid): void {
  const [first, end] = [(gap.fromMs - fromMs) / bucketMs, (gap.toMs - fromMs) / bucketMs];
  const before = meanOf(perSecond.subarray(Math.max(0, first - endBuckets), first));
  const after = meanOf(perSecond.subarray(end, end + endBuckets));
  const [low = 0, high = low] = [before ?? after, after ?? before];
  for (let at = first; at < end; at++)
    perSecond[at] = low + ((high - low) * (at - first + 0.5)) / (end - first);
}

function meanOf(values: Float64Array): number | undefined {
  return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function gapsOf(isKnown: Uint8Array, { fromMs, bucketMs, size }: Grid): readonly RecordedSpan[] {
  const gaps: RecordedSpan[] = [];
  for (let at = 0; at < size; at++) {
    if (isKnown[at] === 1) continue;
    let end = at;
    while (end < size && isKnown[end] !== 1) end++;
    gaps.push({ fromMs: fromMs + at * bucketMs, toMs: fromMs + end * bucketMs });
    at = end;
  }
  return gaps;
}
