// Records a run over time in a fixed number of buckets, however long it is.
import type { Flow } from "../plant/flow.ts";
import type { QueuePiece } from "../plant/queue.ts";
import type { Series } from "./series.ts";

/** Takes pieces of time; each counts in the bucket that it begins in. */
export interface SeriesRecorder {
  add(
    flow: Flow,
    piece: QueuePiece,
    of: { readonly offered: number; readonly short: number; readonly hot: number },
  ): void;
  desired(atMs: number, replicas: number): void;
  /** Whether a schedule moves the bounds from then on; never called without schedules. */
  scheduled(atMs: number, isMoved: boolean): void;
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
  const columns = [column(), column(), column(), column(), column(), column(), column()] as const;
  const [seconds, load, serving, desired, hot, short, backlog] = columns;
  const bucketAt = (atMs: number) =>
    Math.max(0, Math.min(points - 1, Math.floor((atMs - startMs) / bucketMs)));
  const add = (sums: Float64Array, bucket: number, amount: number): void => {
    sums[bucket] = (sums[bucket] ?? 0) + amount;
  };
  const means = (sums: Float64Array) => meansOver(sums, seconds);
  let [lastDesired, lastBucket] = [0, 0];
  let scheduled: Float64Array | undefined;
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
      if (bucket > lastBucket) desired.fill(lastDesired, lastBucket + 1, bucket + 1);
      desired[bucket] = Math.max(desired[bucket] ?? 0, replicas);
      lastDesired = replicas;
      lastBucket = bucket;
    },
    scheduled(atMs, isMoved) {
      // Until the end, or the next call.
      scheduled = (scheduled ?? column()).fill(isMoved ? 1 : 0, bucketAt(atMs));
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
        ...(scheduled === undefined ? {} : { scheduled: Array.from(scheduled) }),
      };
    },
  };
}

/** A piece may be longer than a bucket: one in which none begins is as the one before. */
function meansOver(sums: Float64Array, seconds: Float64Array): readonly number[] {
  let last = 0;
  return Array.from(sums, (sum, at) => {
    const over = seconds[at] ?? 0;
    last = over === 0 ? last : sum / over;
    return last;
  });
}
