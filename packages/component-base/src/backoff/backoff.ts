/** How long to wait before a retry. */
interface BackoffLimits {
  readonly baseMs: number;
  readonly maxMs: number;
  /** 0 ≤ x < 1. With it the delay is drawn from its upper half, so that clients which failed together do not retry together. */
  readonly random?: () => number;
}

/** A delay that doubles with each attempt (0 is the first) up to `maxMs`. */
export function backoffMs(attempt: number, { baseMs, maxMs, random }: BackoffLimits): number {
  const fullMs = Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30));
  return random === undefined ? fullMs : fullMs * (0.5 + random() / 2);
}
