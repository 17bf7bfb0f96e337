// The deadlines of signals: a signal itself has none.

/** By when what the signal cancels has to be done. */
const deadlines = new WeakMap<AbortSignal, number>();

export function setDeadline(signal: AbortSignal, atMs: number): void {
  deadlines.set(signal, atMs);
}

/** Undefined where there is no deadline. */
export function timeLeftMs(signal: AbortSignal, nowMs: number): number | undefined {
  const atMs = deadlines.get(signal);
  return atMs === undefined ? undefined : Math.max(0, atMs - nowMs);
}
