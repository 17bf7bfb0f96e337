// A clock that a test moves.
import type { RequestClock } from "@plimsoll/prometheus";

export interface TestClock extends RequestClock {
  /** Runs the timers that become due. */
  advance(ms: number): void;
  /** Sets the wall clock only. */
  set(ms: number): void;
  readonly timers: number;
}

export function testClock(startMs = 1_000_000): TestClock {
  let nowMs = startMs;
  const timers = new Set<{ readonly atMs: number; readonly run: () => void }>();
  return {
    nowMs: () => nowMs,
    after(delayMs, run) {
      const timer = { atMs: nowMs + delayMs, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    advance(ms) {
      nowMs += ms;
      for (const timer of timers) {
        if (timer.atMs > nowMs) continue;
        timers.delete(timer);
        timer.run();
      }
    },
    set(ms) {
      nowMs = ms;
    },
    get timers() {
      return timers.size;
    },
  };
}
