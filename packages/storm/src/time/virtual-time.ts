// Virtual time: it passes only from one timer to the next.
import { createTimerHeap } from "@plimsoll/component-base/testing";

/** The time of the whole simulation. Processes have clocks of their own, which may be set. */
export interface VirtualTime {
  /** In milliseconds since 1970. */
  readonly nowMs: number;
  /** How many timers ran. */
  readonly steps: number;
  /** Calls `run` once, after `delayMs`; timers of one moment run in the order in which they were set. Returns what cancels it. */
  after(delayMs: number, run: () => void): () => void;
  /**
   * Runs the timers up to a moment. After each one, all promise jobs are done before the next one runs. Rejects with what a
   * timer throws, and when time does not pass any more. One call at a time.
   */
  runUntil(untilMs: number): Promise<void>;
  /** Lets `runUntil` resolve after the timer that runs now. */
  halt(): void;
}

/** The timers of one moment; more are a loop that never ends. */
const maxStepsOfMoment = 50_000;

/** Timers set timers without a delay, for ever. */
export class StandstillError extends Error {
  constructor() {
    super(`${String(maxStepsOfMoment)} timers ran in one moment`);
    this.name = "StandstillError";
  }
}

export function createVirtualTime(startMs: number): VirtualTime {
  let nowMs = startMs;
  let order = 0;
  let steps = 0;
  let stepsOfMoment = 0;
  let isHalted = false;
  const timers = createTimerHeap();

  function runUntil(untilMs: number): Promise<void> {
    isHalted = false;
    return new Promise((resolve, reject) => {
      const step = () => {
        const due = isHalted ? undefined : timers.takeDue(untilMs);
        if (due === undefined) {
          if (!isHalted) nowMs = Math.max(nowMs, untilMs);
          resolve();
          return;
        }
        stepsOfMoment = due.atMs > nowMs ? 0 : stepsOfMoment + 1;
        nowMs = Math.max(nowMs, due.atMs);
        steps += 1;
        try {
          if (stepsOfMoment > maxStepsOfMoment) throw new StandstillError();
          due.run();
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
          return;
        }
        setImmediate(step);
      };
      setImmediate(step);
    });
  }

  return {
    get nowMs() {
      return nowMs;
    },
    get steps() {
      return steps;
    },
    after(delayMs, run) {
      order += 1;
      const timer = { atMs: nowMs + Math.max(delayMs, 0), order, run, isCanceled: false };
      timers.add(timer);
      return () => timers.cancel(timer);
    },
    runUntil,
    halt() {
      isHalted = true;
    },
  };
}
