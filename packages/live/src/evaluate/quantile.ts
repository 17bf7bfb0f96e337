// Quantiles: of values, and of the buckets of a classic histogram.

/** @upstream prometheus/prometheus promql/quantile.go#quantile */
export function quantileOf(q: number, values: readonly number[]): number {
  const outside = outOfRange(q);
  if (values.length === 0) return Number.NaN;
  if (outside !== undefined) return outside;
  // NaN is smaller than every number.
  const sorted = values.toSorted((a, b) => (Number.isNaN(a) ? -1 : Number.isNaN(b) ? 1 : a - b || 0));
  const rank = q * (sorted.length - 1);
  const lower = Math.max(0, Math.floor(rank));
  const upper = Math.min(sorted.length - 1, lower + 1);
  const weight = rank - Math.floor(rank);
  return (sorted[lower] ?? 0) * (1 - weight) + (sorted[upper] ?? 0) * weight;
}

function outOfRange(q: number): number | undefined {
  if (Number.isNaN(q)) return q;
  if (q < 0) return Number.NEGATIVE_INFINITY;
  return q > 1 ? Number.POSITIVE_INFINITY : undefined;
}

/** Observations of at most `bound`. */
export interface Bucket {
  readonly bound: number;
  count: number;
}

/** @upstream prometheus/prometheus promql/quantile.go#BucketQuantile */
export function bucketQuantile(q: number, given: readonly Bucket[]): number {
  const outside = outOfRange(q);
  if (outside !== undefined) return outside;
  const sorted = given.toSorted((a, b) => (a.bound < b.bound ? -1 : a.bound > b.bound ? 1 : 0));
  if (sorted.at(-1)?.bound !== Number.POSITIVE_INFINITY) return Number.NaN;
  const buckets = merged(sorted);
  neverFalling(buckets);
  const observations = buckets.at(-1)?.count ?? 0;
  return buckets.length < 2 || observations === 0 ? Number.NaN : interpolated(q * observations, buckets);
}

function interpolated(rank: number, buckets: readonly Bucket[]): number {
  const at = firstReaching(rank, buckets);
  if (at === buckets.length - 1) return buckets[at - 1]?.bound ?? Number.NaN;
  const { bound, count } = buckets[at] ?? { bound: 0, count: 0 };
  const before = buckets[at - 1];
  if (before === undefined) return bound <= 0 ? bound : bound * (rank / count);
  return before.bound + (bound - before.bound) * ((rank - before.count) / (count - before.count));
}

/** A binary search: where a count is NaN, what it finds depends on its steps. The last bucket is not asked. */
function firstReaching(rank: number, buckets: readonly Bucket[]): number {
  let [from, to] = [0, buckets.length - 1];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((buckets[middle]?.count ?? 0) >= rank) to = middle;
    else from = middle + 1;
  }
  return from;
}

function merged(sorted: readonly Bucket[]): Bucket[] {
  const buckets: Bucket[] = [];
  for (const { bound, count } of sorted) {
    const last = buckets.at(-1);
    if (last?.bound === bound) last.count += count;
    else buckets.push({ bound, count });
  }
  return buckets;
}

/** Buckets that are scraped or computed at different times may fall a little; differences of rounding are none. */
function neverFalling(buckets: readonly Bucket[]): void {
  let highest = buckets[0]?.count ?? 0;
  for (const bucket of buckets.slice(1)) {
    if (bucket.count < highest || isAlmost(highest, bucket.count)) bucket.count = highest;
    else highest = bucket.count;
  }
}

const TOLERANCE = 1e-12;
const SMALLEST_NORMAL = 2 ** -1022;

/** @upstream prometheus/prometheus util/almost/almost.go#Equal */
function isAlmost(a: number, b: number): boolean {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return true;
  const sum = Math.abs(a) + Math.abs(b);
  const difference = Math.abs(a - b);
  if (a === 0 || b === 0 || sum < SMALLEST_NORMAL) return difference < TOLERANCE * SMALLEST_NORMAL;
  return difference / Math.min(sum, Number.MAX_VALUE) < TOLERANCE;
}
