import type { Clock } from "../clock/clock.ts";

/** A clock that tests advance. */
export interface ManualClock extends Clock {
  /**
   * Advances time by `ms`. Timers run in the order of their times, those that are added meanwhile included. Promises
   * that are resolved continue before the next timer runs.
   */
  advance(ms: number): Promise<void>;
  /** How many timers wait. */
  readonly pendingTimers: number;
}

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

/** A clock that moves only by advance(). */
export function manualClock(startMs: number): ManualClock {
  let nowMs = startMs;
  const timers = new Set<Timer>();

  function earliest(untilMs: number): Timer | undefined {
    let found: Timer | undefined;
    for (const timer of timers) {
      // The set keeps the order of insertion, which decides between timers of one instant.
      if (timer.atMs <= untilMs && (found === undefined || timer.atMs < found.atMs)) found = timer;
    }
    return found;
  }

  return {
    nowMs: () => nowMs,
    after(delayMs, run) {
      const timer = { atMs: nowMs + Math.max(delayMs, 0), run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const untilMs = nowMs + ms;
      await settle();
      for (let due = earliest(untilMs); due !== undefined; due = earliest(untilMs)) {
        timers.delete(due);
        nowMs = Math.max(nowMs, due.atMs);
        due.run();
        await settle();
      }
      nowMs = untilMs;
    },
    get pendingTimers() {
      return timers.size;
    },
  };
}

/** Resolves after all promise jobs that are ready, and those that they make ready. */
function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
