// Virtual time: it passes only from one timer to the next.
import { createTimerHeap } from "@plimsoll/component-base/testing";

/** The time of the whole simulation. Processes have clocks of their own, which may be set. */
export interface VirtualTime {
  /** In milliseconds since 1970. */
  readonly nowMs: number;
  /** How many timers ran. */
  readonly steps: number;
  /**
   * Calls `run` once, after the whole milliseconds of `delayMs`. Timers of one moment run in the order in which they were set.
   * Returns what cancels it.
   */
  after(delayMs: number, run: () => void): () => void;
  /**
   * Runs the timers up to a moment. After each one, all promise jobs are done before the next one runs. Rejects with what a
   * timer throws, with what `check` throws, which is called before each timer, and when time does not pass any more. One call
   * at a time.
   */
  runUntil(untilMs: number, check?: () => void): Promise<void>;
  /** Lets `runUntil` resolve after the timer that runs now. */
  halt(): void;
}

/** The timers of one moment; more are a loop that never ends. */
const maxStepsOfMoment = 50_000;
/** Timers that run in one turn of the event loop: a turn costs as much as what a short timer does. */
const stepsPerTurn = 20;

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

  /** Runs the first timer that is due; false when there is none. */
  function step(untilMs: number): boolean {
    const due = isHalted ? undefined : timers.takeDue(untilMs);
    if (due === undefined) {
      if (!isHalted) nowMs = Math.max(nowMs, untilMs);
      return false;
    }
    stepsOfMoment = due.atMs > nowMs ? 0 : stepsOfMoment + 1;
    nowMs = Math.max(nowMs, due.atMs);
    steps += 1;
    if (stepsOfMoment > maxStepsOfMoment) throw new StandstillError();
    due.run();
    return true;
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
      const timer = { atMs: nowMs + Math.max(Math.trunc(delayMs), 0), order, run, isCanceled: false };
      timers.add(timer);
      return () => timers.cancel(timer);
    },
    runUntil(untilMs, check) {
      isHalted = false;
      return repeat(() => {
        check?.();
        return step(untilMs);
      });
    },
    halt() {
      isHalted = true;
    },
  };
}

/** Calls `step` until it returns false. All promise jobs are done before the next call. Rejects with what it throws. */
function repeat(step: () => boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const next = (): void => {
      if (isOver) return;
      try {
        isOver = !step();
        if (isOver) resolve();
      } catch (error) {
        isOver = true;
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    };
    const turn = (): void => {
      if (isOver) return;
      // The runtime does all promise jobs between two of these, as it does between two turns of its event loop.
      for (let left = stepsPerTurn; left > 0; left -= 1) setImmediate(next);
      setImmediate(turn);
    };
    turn();
  });
}
