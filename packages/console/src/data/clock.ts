// Time as the page needs it: the wall clock and timers that can be called off.

export interface Clock {
  nowMs(): number;
  /** Calls once after so many milliseconds; the result calls it off. */
  after(ms: number, call: () => void): () => void;
}

/** The clock of a window. */
export function windowClock(window: Pick<Window, "setTimeout" | "clearTimeout">): Clock {
  return {
    nowMs: () => Date.now(),
    after(ms, call) {
      const timer = window.setTimeout(call, ms);
      return () => window.clearTimeout(timer);
    },
  };
}
