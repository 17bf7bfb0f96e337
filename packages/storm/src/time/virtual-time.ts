// Virtual time: it passes only from one timer to the next.

/** The time of the whole simulation. Processes have clocks of their own, which may be set. */
export interface VirtualTime {
  /** In milliseconds since 1970. */
  readonly nowMs: number;
  /** Calls `run` once, after `delayMs`; timers of one moment run in the order in which they were set. Returns what cancels it. */
  after(delayMs: number, run: () => void): () => void;
  /** Runs the timers up to a moment. After each one, all promise jobs are done before the next one runs. */
  runUntil(untilMs: number): Promise<void>;
}
