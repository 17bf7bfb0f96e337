// When pods were asked to go: their deletion timestamp is the request and the grace period.

/** A deletion timestamp, and the scrapes between which it came. */
export interface SeenDeletion {
  readonly untilMs: number;
  readonly afterMs: number;
  readonly seenMs: number;
}

const usualGraceMs = 30_000;
const secondMs = 1000;
/** Longer ones are of no pod that is scaled. */
const maxSeconds = 3600;

/**
 * The grace period that fits most deletions: no request came after the scrape that first shows it, none before the one
 * before. The nearest to the usual 30 s where several fit as many: one pod that was deleted by hand, or a scrape that was
 * lost, says nothing of the others.
 */
export function graceOf(deletions: readonly SeenDeletion[]): number {
  const starts = new Map<number, number>();
  const add = (second: number, count: number): void => {
    starts.set(second, (starts.get(second) ?? 0) + count);
  };
  for (const { untilMs, afterMs, seenMs } of deletions) {
    const lowest = Math.max(0, Math.ceil((untilMs - seenMs) / secondMs));
    const highest = Math.min(maxSeconds, Math.ceil((untilMs - afterMs) / secondMs));
    if (lowest > highest) continue;
    add(lowest, 1);
    add(highest + 1, -1);
  }
  const usual = usualGraceMs / secondMs;
  let [best, fitted, fits] = [usual, 0, 0];
  for (let second = 0; second <= maxSeconds; second++) {
    fits += starts.get(second) ?? 0;
    const isNearer = Math.abs(second - usual) < Math.abs(best - usual);
    if (fits > fitted || (fits === fitted && fits > 0 && isNearer)) [best, fitted] = [second, fits];
  }
  return best * secondMs;
}

/** A whole second, rounded down. */
export function requestedMs({ untilMs, afterMs, seenMs }: SeenDeletion, graceMs: number): number {
  const latest = Math.floor(seenMs / secondMs) * secondMs;
  const earliest = Math.floor(afterMs / secondMs) * secondMs;
  return Math.min(latest, Math.max(earliest, untilMs - graceMs));
}
