// The instants of the decisions: our own series name them; those of another controller are recovered from its traces.
import { clockInstants, recoverClock } from "../replay/clock.ts";
import type { RecordedPod, RecordedSpan, RecordedStep, Recording } from "../replay/recording.ts";
import type { HpaSeries } from "./hpa-series.ts";
import { stepsOf } from "./track.ts";

const secondMs = 1000;
/** Decisions between two scrapes are put at equal distances; over a longer time nothing is known of them. */
const maxFilled = 20;
/** With fewer instants that were read the clock counts as recovered. */
const minKnownShare = 0.9;

export interface Syncs {
  readonly syncs: Recording["syncs"];
  readonly periodMs: number;
  /** Why the clock is unknown. */
  readonly why?: string;
}

export interface ClockInput {
  readonly series: HpaSeries | undefined;
  readonly pods: readonly RecordedPod[];
  readonly scale: readonly RecordedStep[];
  readonly span: RecordedSpan;
  readonly syncPeriodMs: number;
}

export function syncsOf({ series, pods, scale, span, syncPeriodMs }: ClockInput): Syncs {
  const own = series?.source === "plimsoll" ? knownSyncs(series, span) : undefined;
  if (own !== undefined) return own;
  const marks = marksOf(scale, pods);
  const clock = recoverClock(marks, syncPeriodMs);
  if (clock.state === "unknown")
    return { syncs: { atMs: [], clock: "unknown" }, periodMs: syncPeriodMs, why: clock.why };
  const atMs = clockInstants(clock, marks, span);
  return { syncs: { atMs, clock: "recovered" }, periodMs: clock.periodMs };
}

function knownSyncs({ families }: HpaSeries, { fromMs, toMs }: RecordedSpan): Syncs | undefined {
  const tracks = families.get("last_decision_timestamp_seconds") ?? [];
  const seen = [...new Set(stepsOf(tracks).map(({ value }) => Math.round(value * secondMs)))]
    .filter((atMs) => atMs >= fromMs && atMs <= toMs)
    .toSorted((a, b) => a - b);
  if (seen.length < 2) return undefined;
  const periodMs = smallPeriod(seen);
  const atMs = filled(seen, periodMs);
  const isKnown = seen.length >= minKnownShare * atMs.length;
  return { syncs: { atMs, clock: isKnown ? "known" : "recovered" }, periodMs };
}

/** The mean distance of neighbors: scrapes that are rarer than decisions show a multiple of it, mostly. */
function smallPeriod(atMs: readonly number[]): number {
  const distances = atMs.slice(1).map((at, n) => at - (atMs[n] ?? 0));
  const sorted = distances.toSorted((a, b) => a - b);
  const small = sorted[Math.floor(sorted.length / 10)] ?? secondMs;
  const own = distances.filter((distance) => distance < 1.5 * small && distance > small / 1.5);
  return own.reduce((sum, distance) => sum + distance, 0) / Math.max(1, own.length);
}

function filled(seen: readonly number[], periodMs: number): readonly number[] {
  return seen.flatMap((atMs, n) => {
    const next = seen[n + 1];
    const parts = next === undefined ? 1 : Math.round((next - atMs) / periodMs);
    if (next === undefined || parts < 2 || parts > maxFilled) return [atMs];
    return Array.from({ length: parts }, (_, part) => Math.round(atMs + ((next - atMs) * part) / parts));
  });
}

/** Whole seconds at which a pod came or was asked to go because the count had changed. */
export function marksOf(scale: readonly RecordedStep[], pods: readonly RecordedPod[]): readonly number[] {
  const created = pods.map(({ createdMs }) => createdMs).toSorted((a, b) => a - b);
  // Where no scrape saw the timestamp, it is known to a scrape only.
  const deleted = pods
    .flatMap(({ deletedMs, uncertaintyMs }) => (uncertaintyMs > secondMs ? [] : (deletedMs ?? [])))
    .toSorted((a, b) => a - b);
  const marks = scale.slice(1).flatMap(({ atMs, earliestMs, value }, at) => {
    const instants = value > (scale[at]?.value ?? 0) ? created : deleted;
    // Marks are rounded down, so that one may lie before the last scrape of the old count.
    const mark = instants[firstAfter(instants, earliestMs - secondMs)];
    return mark === undefined || mark > atMs ? [] : [mark];
  });
  return [...new Set(marks.map((mark) => Math.floor(mark / secondMs) * secondMs))].toSorted((a, b) => a - b);
}

/** The position of the first of ascending instants that is later. */
function firstAfter(instants: readonly number[], thanMs: number): number {
  let [low, high] = [0, instants.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((instants[middle] ?? 0) > thanMs) high = middle;
    else low = middle + 1;
  }
  return low;
}
