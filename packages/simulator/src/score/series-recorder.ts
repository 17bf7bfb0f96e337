// Records a run over time in a fixed number of buckets, however long it is.
import type { Flow } from "../plant/flow.ts";
import type { QueuePiece } from "../plant/queue.ts";
import type { Series } from "./series.ts";

/** Takes pieces of time; each counts in the bucket that it begins in. */
export interface SeriesRecorder {
  add(flow: Flow, piece: QueuePiece, of: { readonly offered: number; readonly short: number; readonly hot: number }): void;
  desired(atMs: number, replicas: number): void;
  read(): Series;
}

/** Buckets over a span of time. */
export function createSeriesRecorder(options: {
  readonly startMs: number;
  readonly durationMs: number;
  readonly points: number;
  /** Requests per second of one pod. */
  readonly capacity: number;
}): SeriesRecorder {
  const { startMs, durationMs, points, capacity } = options;
  const bucketMs = durationMs / points;
  const column = () => new Float64Array(points);
  const [seconds, load, serving, desired, hot, short, backlog] = [
    column(),
    column(),
    column(),
    column(),
    column(),
    column(),
    column(),
  ];
  const bucketAt = (atMs: number) => Math.max(0, Math.min(points - 1, Math.floor((atMs - startMs) / bucketMs)));
  const add = (sums: Float64Array, bucket: number, amount: number): void => {
    sums[bucket] = (sums[bucket] ?? 0) + amount;
  };
  const means = (sums: Float64Array) => Array.from(sums, (sum, at) => ratio(sum, seconds[at] ?? 0));
  let lastDesired = 0;
  let lastBucket = 0;
  return {
    add(flow, piece, of) {
      const bucket = bucketAt(flow.nowMs);
      add(seconds, bucket, piece.seconds);
      add(load, bucket, of.offered);
      add(serving, bucket, flow.serving * piece.seconds);
      add(hot, bucket, of.hot);
      add(short, bucket, of.short);
      backlog[bucket] = Math.max(backlog[bucket] ?? 0, piece.backlogTo);
    },
    desired(atMs, replicas) {
      const bucket = bucketAt(atMs);
      desired.fill(lastDesired, Math.min(lastBucket + 1, bucket), bucket + 1);
      desired[bucket] = Math.max(bucket === lastBucket ? (desired[bucket] ?? 0) : lastDesired, replicas);
      lastDesired = replicas;
      lastBucket = bucket;
    },
    read() {
      desired.fill(lastDesired, lastBucket + 1);
      const ready = means(serving);
      return {
        startMs,
        bucketMs,
        load: means(load),
        capacity: ready.map((pods) => pods * capacity),
        ready,
        desired: Array.from(desired),
        hot: means(hot),
        short: Array.from(short),
        backlog: Array.from(backlog),
      };
    },
  };
}

function ratio(sum: number, over: number): number {
  return over === 0 ? 0 : sum / over;
}
