// A clock that moves when a test says so.
import type { Clock } from "../src/data/clock.ts";

export interface ManualClock extends Clock {
  advance(ms: number): void;
}

export function manualClock(startMs = 0): ManualClock {
  let nowMs = startMs;
  const timers = new Set<{ readonly atMs: number; readonly call: () => void }>();
  return {
    nowMs: () => nowMs,
    after(ms, call) {
      const timer = { atMs: nowMs + ms, call };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      nowMs += ms;
      for (const timer of timers) {
        if (timer.atMs > nowMs) continue;
        timers.delete(timer);
        timer.call();
      }
    },
  };
}
