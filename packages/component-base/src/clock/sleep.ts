import { race } from "../tasks/race.ts";
import type { Clock } from "./clock.ts";

/** Resolves after `delayMs`, or at once when `signal` aborts: the caller looks at the signal. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted || delayMs <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.after(delayMs, done);
    signal?.addEventListener("abort", done);
  });
}

/** Resolves when the timers and the input and output that are due have had their turn. */
export function nextTurn(clock: Pick<Clock, "after">): Promise<void> {
  return new Promise((resolve) => void clock.after(0, resolve));
}

/** Waits for the end of something, and no longer than `timeoutMs`. */
export async function waitAtMost(clock: Clock, timeoutMs: number, end: Promise<void>): Promise<void> {
  const ended = new AbortController();
  try {
    await race([end, sleep(clock, timeoutMs, ended.signal)]);
  } finally {
    ended.abort();
  }
}
