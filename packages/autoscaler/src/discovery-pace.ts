/** Bounds on the age of what discovery said. */
const shortestMs = 5000;
const longestMs = 30_000;

/** How long discovery is believed: a sync period, as upstream's, within reason. */
export function discoveryPace(syncPeriodMs: number): number {
  return Math.min(Math.max(syncPeriodMs, shortestMs), longestMs);
}
