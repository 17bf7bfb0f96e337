import type { Clock } from "@plimsoll/component-base";
import { createHeap } from "@plimsoll/core/internal/values";

/** Keys waiting to be synced; a key that waits already is not added twice. */
export interface KeyedQueue {
  add(key: string): void;
  /** The earliest of several delays wins: the sync that it causes adds the later ones. */
  addAfter(key: string, delayMs: number): void;
  /** Forgets everything and cancels the timers. */
  stop(): void;
}

export interface KeyedQueueOptions {
  readonly clock: Clock;
  readonly sync: (key: string) => void;
  /** Called with what sync threw; without it the error is thrown on. */
  readonly onError?: (error: unknown, key: string) => void;
}

// Enough to be quick and few enough to keep the event loop responsive.
const keysPerTurn = 250;

export function createKeyedQueue(options: KeyedQueueOptions): KeyedQueue {
  const ready = new Set<string>();
  let cancelTurn: (() => void) | undefined;

  const runOne = (key: string): void => {
    ready.delete(key);
    if (options.onError === undefined) {
      options.sync(key);
      return;
    }
    try {
      options.sync(key);
    } catch (error) {
      options.onError(error, key);
    }
  };
  const turn = (): void => {
    cancelTurn = undefined;
    let left = keysPerTurn;
    try {
      for (const key of ready) {
        if (left === 0) break;
        left -= 1;
        runOne(key);
      }
    } finally {
      if (ready.size > 0) scheduleTurn();
    }
  };
  const scheduleTurn = (): void => {
    cancelTurn ??= options.clock.after(0, turn);
  };
  const add = (key: string): void => {
    ready.add(key);
    scheduleTurn();
  };
  const delayed = createDelayedKeys(options.clock, add);

  return {
    add,
    addAfter(key, delayMs) {
      if (delayMs <= 0) add(key);
      else delayed.add(key, delayMs);
    },
    stop() {
      cancelTurn?.();
      cancelTurn = undefined;
      ready.clear();
      delayed.stop();
    },
  };
}

interface DelayedKeys {
  add(key: string, delayMs: number): void;
  stop(): void;
}

/** Calls `release` with each key after its delay, with one timer for all of them. */
function createDelayedKeys(clock: Clock, release: (key: string) => void): DelayedKeys {
  const heap = createHeap<Delayed>((one, other) => one.atMs < other.atMs);
  const releaseAtMs = new Map<string, number>();
  let timer: { readonly atMs: number; readonly cancel: () => void } | undefined;

  const fire = (): void => {
    timer = undefined;
    for (let next = heap.first; next !== undefined && next.atMs <= clock.nowMs(); next = heap.first) {
      heap.take();
      if (releaseAtMs.get(next.key) === next.atMs) releaseAtMs.delete(next.key);
      release(next.key);
    }
    setTimer();
  };
  const setTimer = (): void => {
    const next = heap.first;
    if (next === undefined || (timer !== undefined && timer.atMs <= next.atMs)) return;
    timer?.cancel();
    timer = { atMs: next.atMs, cancel: clock.after(Math.max(0, next.atMs - clock.nowMs()), fire) };
  };

  return {
    add(key, delayMs) {
      const atMs = clock.nowMs() + delayMs;
      if ((releaseAtMs.get(key) ?? Number.POSITIVE_INFINITY) <= atMs) return;
      releaseAtMs.set(key, atMs);
      heap.add({ atMs, key });
      setTimer();
    },
    stop() {
      timer?.cancel();
      timer = undefined;
      releaseAtMs.clear();
      while (heap.take() !== undefined);
    },
  };
}

/** A key and the instant at which it is due. */
interface Delayed {
  readonly atMs: number;
  readonly key: string;
}
