/** Bounds of the max age of a discovery result. */
const minMs = 5000;
const maxMs = 30_000;

/** Max age of a discovery result: a sync period, as upstream, within these bounds. */
export function discoveryPace(syncPeriodMs: number): number {
  return Math.min(Math.max(syncPeriodMs, minMs), maxMs);
}
