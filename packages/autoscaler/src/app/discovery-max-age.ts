// The max age of a discovery result: a sync period, as upstream, within bounds.

const minMs = 5000;
const maxMs = 30_000;

export function discoveryMaxAge(syncPeriodMs: number): number {
  return Math.min(Math.max(syncPeriodMs, minMs), maxMs);
}
