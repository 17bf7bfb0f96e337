// What the recorded pods came to on the load, in the figures of a simulated run.
import { createChanges } from "@plimsoll/simulator/parts";
import type { RecordedSpan, Recording } from "../replay/recording.ts";
import { countAt, desiredArea, type LoopFigures } from "./counterfactual.ts";
import type { InferredLoad } from "./load.ts";

/** A stretch in which neither the load nor the pods that serve change. */
interface Piece {
  readonly seconds: number;
  readonly perSecond: number;
  readonly serving: number;
}

/** The highest load of a pod. */
export function highestPerPod(inferred: InferredLoad, spans: readonly RecordedSpan[]): number {
  let highest = 0;
  for (const { perSecond, serving } of piecesOf(inferred, spans)) {
    if (serving > 0) highest = Math.max(highest, perSecond / serving);
  }
  return highest;
}

/** The load of a Ready pod that is not passed in so much of the time in which one is Ready, such as 0.999; 0 where none is. */
export function usualPerPod(inferred: InferredLoad, spans: readonly RecordedSpan[], part: number): number {
  const loads = [...piecesOf(inferred, spans)]
    .filter(({ serving }) => serving > 0)
    .map(({ seconds, perSecond, serving }) => ({ seconds, perPod: perSecond / serving }))
    .toSorted((a, b) => a.perPod - b.perPod);
  let left = part * loads.reduce((sum, { seconds }) => sum + seconds, 0);
  const found = loads.find(({ seconds }) => {
    left -= seconds;
    return left <= 0;
  });
  return (found ?? loads.at(-1))?.perPod ?? 0;
}

/** Over some spans. */
export function recordedFigures(
  recording: Recording,
  inferred: InferredLoad,
  { spans, hotAbove }: { readonly spans: readonly RecordedSpan[]; readonly hotAbove: number },
): LoopFigures {
  const all = createChanges();
  let [podMs, peak, hotSeconds, shortPodSeconds] = [0, 0, 0, 0];
  for (const span of spans) {
    let from = countAt(recording, span.fromMs);
    const area = desiredArea(changesIn(recording, span), span, from);
    for (const { atMs, to } of changesIn(recording, span)) {
      if (to !== from) all.add({ atMs, from, to });
      from = to;
    }
    podMs += area.podMs;
    peak = Math.max(peak, area.peak);
  }
  for (const { seconds, perSecond, serving } of piecesOf(inferred, spans)) {
    if (perSecond > serving * hotAbove) hotSeconds += seconds;
    shortPodSeconds += Math.max(0, perSecond / hotAbove - serving) * seconds;
  }
  const podHours = podMs / 3_600_000;
  return { podHours, peak, events: all.all.length, reversals: all.reversals, hotSeconds, shortPodSeconds };
}

function changesIn({ scale }: Recording, { fromMs, toMs }: RecordedSpan) {
  return scale
    .filter(({ atMs }) => atMs > fromMs && atMs < toMs)
    .map(({ atMs, value }) => ({ atMs, to: value }));
}

function* piecesOf(
  { series, serving }: InferredLoad,
  spans: readonly RecordedSpan[],
): Generator<Piece, void> {
  const { instants } = serving;
  for (const { fromMs, toMs } of spans) {
    let change = instants.findIndex((atMs) => atMs > fromMs);
    if (change < 0) change = instants.length;
    for (let atMs = fromMs; atMs < toMs; ) {
      while ((instants[change] ?? Infinity) <= atMs) change++;
      const bucket = Math.floor((atMs - series.fromMs) / series.bucketMs);
      const bucketEndMs = series.fromMs + (bucket + 1) * series.bucketMs;
      const endMs = Math.min(toMs, bucketEndMs, instants[change] ?? Infinity);
      yield {
        seconds: (endMs - atMs) / 1000,
        perSecond: series.perSecond[bucket] ?? 0,
        serving: serving.at(atMs),
      };
      atMs = endMs;
    }
  }
}
