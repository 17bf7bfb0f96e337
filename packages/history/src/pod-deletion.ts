// When pods were asked to go: their deletion timestamp is the request and the grace period.

/** A deletion timestamp, and the scrapes between which it came. */
export interface SeenDeletion {
  readonly untilMs: number;
  readonly afterMs: number;
  readonly seenMs: number;
}

const usualGraceMs = 30_000;
const secondMs = 1000;

/**
 * The grace period that fits all deletions: no request came after the scrape that first shows it, none before the one
 * before. The usual 30 s where they fit.
 */
export function graceOf(deletions: readonly SeenDeletion[]): number {
  let [lowest, highest] = [0, Infinity];
  for (const { untilMs, afterMs, seenMs } of deletions) {
    lowest = Math.max(lowest, untilMs - seenMs);
    highest = Math.min(highest, untilMs + secondMs - afterMs);
  }
  if (lowest <= usualGraceMs && usualGraceMs <= highest) return usualGraceMs;
  const bound = usualGraceMs < lowest ? lowest : highest;
  return Math.max(0, Math.round(bound / secondMs) * secondMs);
}

/** A whole second, rounded down. */
export function requestedMs({ untilMs, afterMs, seenMs }: SeenDeletion, graceMs: number): number {
  const latest = Math.floor(seenMs / secondMs) * secondMs;
  const earliest = Math.floor(afterMs / secondMs) * secondMs;
  return Math.min(latest, Math.max(earliest, untilMs - graceMs));
}
