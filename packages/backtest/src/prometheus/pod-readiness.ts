// The readiness of pods, of which a summary of a part of the span is enough where it changed once at most.
import { labelOf } from "@plimsoll/prometheus";
import type { RecordedSpan } from "../replay/recording.ts";
import {
  deletionFamily,
  readyFamily,
  readyTimeFamily,
  type SummaryKind,
  summaryLabel,
} from "./pod-queries.ts";
import { nameOf, type Track } from "./track.ts";

/** With more pods of a part than this the readiness of all is read. */
const maxNamed = 300;
const secondMs = 1000;

/** What a summary says of one pod in one part. */
type PodSummary = Readonly<Partial<Record<SummaryKind, number>>> & { readonly isOfSeveral: boolean };

/** A part of the span, in which all samples of some pods are needed; no name: of all. */
export interface ReadinessPart extends RecordedSpan {
  readonly names: readonly string[];
}

export interface Readiness {
  /** The few samples that say the same as all: of the pods whose summary is enough. */
  readonly tracks: readonly Track[];
  readonly parts: readonly ReadinessPart[];
}

export interface ReadinessInput {
  readonly span: RecordedSpan;
  /** What the summaries of all parts say; a part ends at the instant of its values. */
  readonly summaries: readonly Track[];
  /** All samples of deletions. */
  readonly deletions: readonly Track[];
  /** Ascending instants at which series were scraped. */
  readonly scrapes: readonly number[];
  readonly scrapeMs: number;
}

/** Which pods need all their samples, and the samples of the others. */
export function readinessOf({ span, summaries, deletions, scrapes, scrapeMs }: ReadinessInput): Readiness {
  const leaving = Map.groupBy(deletions, podOf);
  const before = scrapeBefore(scrapes, usualDistanceOf(deletions) ?? scrapeMs);
  const tracks: Track[] = [];
  const parts: ReadinessPart[] = [];
  let { fromMs } = span;
  for (const [toMs, ofPods] of byEnd(summaries)) {
    const names: string[] = [];
    for (const [pod, summary] of ofPods) {
      const deletedAt = samplesWithin(leaving.get(pod) ?? [], { fromMs, toMs });
      const own = sparseTracks(pod, summary, { fromMs, deletedAt, before });
      if (own === undefined) names.push(pod);
      else tracks.push(...own);
    }
    if (names.length > 0) parts.push({ fromMs, toMs, names: names.length > maxNamed ? [] : names });
    fromMs = toMs;
  }
  return { tracks, parts };
}

/** By the end of the part, and the pod. */
function byEnd(summaries: readonly Track[]): readonly (readonly [number, ReadonlyMap<string, PodSummary>])[] {
  const found = new Map<
    number,
    Map<string, Partial<Record<SummaryKind, number>> & { isOfSeveral: boolean }>
  >();
  for (const track of summaries) {
    const kind = labelOf(track.labels, summaryLabel) as SummaryKind | undefined;
    if (kind === undefined) continue;
    for (const [n, atMs] of track.atMs.entries()) {
      const ofPods = found.get(atMs) ?? new Map();
      found.set(atMs, ofPods);
      const own = ofPods.get(podOf(track)) ?? { isOfSeveral: false };
      ofPods.set(podOf(track), own);
      // The process that was scraped is another: each has series of its own.
      if (own[kind] !== undefined) own.isOfSeveral = true;
      own[kind] = track.values[n];
    }
  }
  return [...found].toSorted(([a], [b]) => a - b);
}

interface OfPart {
  readonly fromMs: number;
  /** Scrapes that showed its deletion. */
  readonly deletedAt: readonly number[];
  readonly before: (atMs: number) => number;
}

/** Undefined where the summary is not enough. */
function sparseTracks(
  pod: string,
  { isOfSeveral, readyChanges = 2, ready, timeChanges = 0, time, seen }: PodSummary,
  { fromMs, deletedAt, before }: OfPart,
): readonly Track[] | undefined {
  const [firstDeleted] = deletedAt;
  const seenMs = seen === undefined ? deletedAt.at(-1) : Math.round(seen * secondMs);
  const isReady = ready === 1;
  const isOnceReady = readyChanges === 0 || (readyChanges === 1 && isReady);
  const isTimeKnown = isReady ? time !== undefined && timeChanges === 0 : time === undefined;
  if (isOfSeveral || seenMs === undefined || !isOnceReady || !isTimeKnown) return undefined;
  const first = Math.min(fromMs, seenMs);
  const last = firstDeleted === undefined ? [seenMs] : [before(firstDeleted), seenMs];
  const later = last.filter((atMs) => atMs > first);
  const atMs = [first, ...later];
  const values = atMs.map((_, n) => (readyChanges === 1 && n === 0 ? 0 : (ready ?? 0)));
  const readyAt = atMs.filter((_, n) => values[n] === 1);
  return [
    { labels: { __name__: readyFamily, pod }, atMs, values },
    { labels: { __name__: readyTimeFamily, pod }, atMs: readyAt, values: readyAt.map(() => time ?? 0) },
  ];
}

/** The scrape before one; where that is of other series, by the usual distance. */
function scrapeBefore(scrapes: readonly number[], usualMs: number): (atMs: number) => number {
  const positions = new Map(scrapes.map((atMs, at) => [atMs, at]));
  return (atMs) => scrapes[(positions.get(atMs) ?? 0) - 1] ?? atMs - usualMs;
}

/** The median distance of samples of one series; undefined where none has two. */
function usualDistanceOf(tracks: readonly Track[]): number | undefined {
  const distances = tracks.flatMap(({ atMs }) => atMs.slice(1).map((at, n) => at - (atMs[n] ?? 0)));
  return distances.toSorted((a, b) => a - b)[distances.length >>> 1];
}

function samplesWithin(tracks: readonly Track[], { fromMs, toMs }: RecordedSpan): readonly number[] {
  return tracks
    .flatMap(({ atMs }) => atMs.filter((at) => at > fromMs && at <= toMs))
    .toSorted((a, b) => a - b);
}

function podOf({ labels }: Track): string {
  return labelOf(labels, "pod") ?? "";
}

/** Families of which samples say when a pod was there. */
export function isMoving(track: Track): boolean {
  return [readyFamily, readyTimeFamily, deletionFamily].includes(nameOf(track));
}
