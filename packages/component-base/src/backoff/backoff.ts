import type { Clock } from "../clock/clock.ts";

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

/** When the other side is tried again that failed several times in a row: after pauses that double. */
export function createCircuitState(
  clock: Clock,
  { failures: most, ...pause }: { readonly failures: number } & BackoffLimits,
) {
  let [failures, pauses, untilMs] = [0, 0, 0];
  return {
    /** Failures in a row. */
    get failures() {
      return failures;
    },
    isOpen: (): boolean => failures >= most,
    /** Until the next try, in milliseconds; 0 when it is due. */
    waitMs(): number {
      const waitMs = untilMs - clock.nowMs();
      // A clock that was set back must not keep it open for longer than it ever is.
      return waitMs > pause.maxMs ? 0 : Math.max(0, waitMs);
    },
    /** Whether it is open from this failure on. */
    fail: (): boolean => (failures += 1) === most,
    pause: () => void (untilMs = clock.nowMs() + backoffMs(pauses++, pause)),
    /** `isProven` by a request; else the next pause is the longer one all the same. */
    close(isProven: boolean): void {
      failures = 0;
      if (isProven) pauses = 0;
    },
  };
}
