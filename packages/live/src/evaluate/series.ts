// The samples of a series in memory, and the part of them that a selector reads.
import type { LabelSet } from "../labels.ts";

/** Samples in the order of time, at the places from `from` to before `to`. Times are in whole milliseconds since 1970. */
export interface Samples {
  readonly times: Float64Array;
  readonly values: Float64Array;
  /** 1 where the series went stale: its value counts for nothing. */
  readonly stale: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/** A series that a selector matches. */
export interface LiveSeries {
  readonly labels: LabelSet;
  readonly samples: Samples;
}

/** Samples of a range without those that mark a stale series. */
export interface Points {
  times: Float64Array;
  values: Float64Array;
  from: number;
  to: number;
}

/** The place of the first sample after a time. */
function firstAfter({ times, from, to }: Samples, ms: number): number {
  // Almost always the newest samples are asked for, and the window is short.
  let at = to;
  while (at > from && (times[at - 1] ?? 0) > ms) at -= 1;
  return at;
}

/** The newest value at a time, not older than `lookbackMs`; undefined when there is none or the series is stale. */
export function valueAt(samples: Samples, atMs: number, lookbackMs: number): number | undefined {
  const at = firstAfter(samples, atMs) - 1;
  if (at < samples.from || samples.stale[at] === 1) return undefined;
  const ageMs = atMs - (samples.times[at] ?? 0);
  // A sample of exactly this time counts whatever the lookback is.
  return ageMs > 0 && ageMs >= lookbackMs ? undefined : samples.values[at];
}

/** Writes the samples after `startMs`, and up to `endMs`, into `points`. */
export function readRange(samples: Samples, startMs: number, endMs: number, points: Points): void {
  const to = firstAfter(samples, endMs);
  let from = to;
  let hasStale = false;
  while (from > samples.from && (samples.times[from - 1] ?? 0) > startMs) {
    from -= 1;
    hasStale ||= samples.stale[from] === 1;
  }
  points.times = samples.times;
  points.values = samples.values;
  points.from = from;
  points.to = to;
  if (hasStale) dropStale(samples, points);
}

function dropStale({ times, values, stale }: Samples, points: Points): void {
  const { from, to } = points;
  points.times = new Float64Array(to - from);
  points.values = new Float64Array(to - from);
  points.from = 0;
  let kept = 0;
  for (let at = from; at < to; at += 1) {
    if (stale[at] === 1) continue;
    points.times[kept] = times[at] ?? 0;
    points.values[kept] = values[at] ?? 0;
    kept += 1;
  }
  points.to = kept;
}
