/** Time and timers, injected so that tests can control them. */
export interface Clock {
  /** The wall clock, in milliseconds since 1970. */
  nowMs(): number;
  /** Time that is never set, in milliseconds since some moment; absent where the wall clock is never set either. */
  steadyMs?(): number;
  /** Calls `run` once, after `delayMs`; returns what cancels it. */
  after(delayMs: number, run: () => void): () => void;
  /** The same without a way to cancel it, by a timer that keeps no process alive; absent: by one of the runtime. */
  afterIdle?(delayMs: number, run: () => void): void;
}

/** Time for durations: the steady clock, or the wall clock where that is never set. */
export function steadyNowMs(clock: Pick<Clock, "nowMs" | "steadyMs">): number {
  return clock.steadyMs?.() ?? clock.nowMs();
}

/** Longer delays overflow the timer of the runtime, which would fire at once. */
export const maxDelayMs = 2 ** 31 - 1;

/** The clocks and timers of the runtime. */
export const systemClock: Required<Clock> = {
  nowMs: () => Date.now(),
  steadyMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(Math.max(delayMs, 0), maxDelayMs));
    return () => clearTimeout(timer);
  },
  afterIdle: (delayMs, run) => void setTimeout(run, Math.min(Math.max(delayMs, 0), maxDelayMs)).unref(),
};
