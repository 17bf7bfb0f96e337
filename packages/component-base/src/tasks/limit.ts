import { type Clock, steadyNowMs } from "../clock/clock.ts";

/** Runs work, `max` pieces at a time and the others in the order in which they came. */
export type Limit = <T>(work: () => Promise<T>) => Promise<T>;

/** A limit of its own, shared by all that run their work through it. */
export function createLimit(max: number): Limit {
  let active = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (active >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else active += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next in line, so that no newcomer takes it.
      const next = waiting.shift();
      if (next === undefined) active -= 1;
      else next();
    }
  };
}

/** Does the work for all items, `max` at a time; `work` must not reject. */
export async function forEachLimit<T>(
  max: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(max, items.length) }, worker));
}

/** Calls during a run wait for its end. Calls within the interval after the start of a run do nothing. */
export function atMostEvery(clock: Clock, intervalMs: number, run: () => Promise<void>): () => Promise<void> {
  let lastMs = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  return async () => {
    const nowMs = steadyNowMs(clock);
    if (running === undefined && nowMs - lastMs < intervalMs) return;
    lastMs = nowMs;
    running ??= run().finally(() => {
      running = undefined;
    });
    await running;
  };
}
