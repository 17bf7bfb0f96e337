/** Time as the rest of the package sees it. */
export interface Clock {
  /** The wall clock, in milliseconds since 1970. */
  nowMs(): number;
  /** Time that nobody sets, in milliseconds since some moment; absent where the wall clock is not set either. */
  steadyMs?(): number;
  /** Calls `run` once, after `delayMs`; returns what cancels it. */
  after(delayMs: number, run: () => void): () => void;
}

/** Longer delays overflow the timer of the runtime and would fire at once. */
const longestDelayMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  steadyMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, Math.min(Math.max(delayMs, 0), longestDelayMs));
    return () => clearTimeout(timer);
  },
};
