// Object and External metrics: what the pods have to do with their values is for the user to say.
import type { RecordedTotal } from "@plimsoll/simulator/parts";
import type { RecordedMetric, RecordedSpan } from "../replay/recording.ts";
import { bucketOf, type InferredSeries, maxBridgedMs, splitGaps, usualDistance } from "./series.ts";
import type { Serving } from "./serving.ts";

/**
 * "independent": the value is the same whatever the pods do, such as requests at an ingress. "conserved": it is an average of
 * pods, and all of them together are the same. "backlog": what waits, which the pods serve.
 */
export type LoadModel = "independent" | "conserved" | "backlog";

/** The values of a metric over time. */
export interface TotalSamples {
  readonly atMs: readonly number[];
  readonly values: readonly number[];
}

/** Of all series of a sample together. */
export function totalSamples({ samples }: Pick<RecordedMetric, "samples">): TotalSamples {
  const known = samples.filter(({ values }) => values.length > 0);
  return {
    atMs: known.map(({ atMs }) => atMs),
    values: known.map(({ values }) => values.reduce((sum, { value }) => sum + value, 0)),
  };
}

/** As a simulated autoscaler reads it. */
export function recordedTotal(
  { atMs, values }: TotalSamples,
  model: "independent" | "conserved",
  serving: Serving,
): RecordedTotal {
  const isShared = model === "conserved";
  return { atMs, isShared, values: isShared ? withPods({ atMs, values }, serving) : values };
}

function withPods({ atMs, values }: TotalSamples, serving: Serving): readonly number[] {
  return values.map((value, at) => value * serving.at(atMs[at] ?? 0));
}

/** The values as a load: each until the next. */
export function seriesOfTotal(
  { atMs, values }: Omit<RecordedTotal, "isShared">,
  span: RecordedSpan,
): InferredSeries {
  return resampled(atMs, values, span);
}

/** A queue, and what a pod takes out of it. */
export interface BacklogLoad {
  readonly series: InferredSeries;
  /** Of a pod, in a second. */
  readonly capacity: number;
}

/** Fewer stretches in which it drains say too little of a pod. */
const minDraining = 10;
/** The fastest tenth of them: in the others something arrives too. */
const fastest = 0.9;

/** λ = dq/dt + nμ while something waits; μ is known from the stretches that drain the fastest. Undefined where none does. */
export function backlogLoad(
  { atMs, values }: TotalSamples,
  serving: Serving,
  span: RecordedSpan,
): BacklogLoad | undefined {
  const steps = values.slice(1).flatMap((value, at) => {
    const [from, to] = [atMs[at] ?? 0, atMs[at + 1] ?? 0];
    const seconds = (to - from) / 1000;
    if (!(seconds > 0) || to - from > maxBridgedMs) return [];
    const before = values[at] ?? 0;
    return [
      { from, before, value, slope: (value - before) / seconds, pods: serving.podMs(from, to) / (to - from) },
    ];
  });
  const draining = steps
    .filter(({ value, slope, pods }) => value > 0 && slope < 0 && pods > 0)
    .map(({ slope, pods }) => -slope / pods)
    .toSorted((a, b) => a - b);
  if (draining.length < minDraining) return undefined;
  const capacity = draining[Math.floor(fastest * (draining.length - 1))] ?? 0;
  const rates = steps.map(({ before, value, slope, pods }) => {
    const served = before > 0 || value > 0 ? pods * capacity : 0;
    return Math.max(0, slope + served);
  });
  const series = resampled(
    steps.map(({ from }) => from),
    rates,
    span,
  );
  return { series, capacity };
}

function resampled(atMs: readonly number[], values: readonly number[], span: RecordedSpan): InferredSeries {
  const usualMs = usualDistance(atMs);
  const bucketMs = bucketOf(atMs, 0);
  const size = Math.ceil((span.toMs - span.fromMs) / bucketMs);
  let next = 0;
  const perSecond = Float64Array.from({ length: size }, (_, bucket) => {
    const middleMs = span.fromMs + (bucket + 0.5) * bucketMs;
    while ((atMs[next + 1] ?? Infinity) <= middleMs) next++;
    return values[next] ?? 0;
  });
  const edges = [span.fromMs, ...atMs, span.toMs];
  const gaps = edges.slice(1).flatMap((toMs, at): readonly RecordedSpan[] => {
    const fromMs = edges[at] ?? toMs;
    return toMs - fromMs > 2 * usualMs ? [{ fromMs, toMs }] : [];
  });
  return { fromMs: span.fromMs, bucketMs, perSecond, resolutionMs: bucketMs, ...splitGaps(gaps) };
}
