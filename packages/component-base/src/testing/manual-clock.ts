import type { Clock } from "../clock/clock.ts";
import { createTimerHeap } from "./timer-heap.ts";

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

/** A clock that moves only by advance(). */
export function manualClock(startMs: number): ManualClock {
  let nowMs = startMs;
  let order = 0;
  const timers = createTimerHeap();

  return {
    nowMs: () => nowMs,
    after(delayMs, run) {
      order += 1;
      const timer = { atMs: nowMs + Math.max(delayMs, 0), order, run, isCanceled: false };
      timers.add(timer);
      return () => timers.cancel(timer);
    },
    async advance(ms) {
      const untilMs = nowMs + ms;
      await settle();
      for (let due = timers.takeDue(untilMs); due !== undefined; due = timers.takeDue(untilMs)) {
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
