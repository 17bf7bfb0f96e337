// What happened over time, in a fixed number of buckets.

/** Columns of equal length, a bucket each. */
export interface Series {
  readonly startMs: number;
  readonly bucketMs: number;
  /** Mean of the offered load, requests per second. */
  readonly load: readonly number[];
  /** Mean of what the Ready pods could serve, requests per second. */
  readonly capacity: readonly number[];
  /** Mean of the Ready pods, and the highest desired replicas. */
  readonly ready: readonly number[];
  readonly desired: readonly number[];
  /** Part of the bucket that was hot, 0–1. */
  readonly hot: readonly number[];
  /** ∫ of the pods that were short, in seconds. */
  readonly short: readonly number[];
  /** The highest backlog. */
  readonly backlog: readonly number[];
  /** 1 where a schedule moved the bounds, else 0; absent without schedules. */
  readonly scheduled?: readonly number[];
}
