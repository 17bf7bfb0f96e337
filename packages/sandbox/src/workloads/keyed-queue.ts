import type { Clock } from "@plimsoll/kube";
import { createDelayHeap } from "./delay-heap.ts";

/** Keys waiting to be synced; a key that waits already is not added twice. */
export interface KeyedQueue {
  add(key: string): void;
  /** The earliest of several delays wins: the sync it causes asks for the later ones again. */
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

// Enough to be quick and few enough to keep the event loop answering.
const keysPerTurn = 250;

export function createKeyedQueue(o: KeyedQueueOptions): KeyedQueue {
  const ready = new Set<string>();
  const delayed = createDelayHeap();
  const dueAtMs = new Map<string, number>();
  let cancelTurn: (() => void) | undefined;
  let alarm: { readonly atMs: number; readonly cancel: () => void } | undefined;

  const runOne = (key: string): void => {
    ready.delete(key);
    if (o.onError === undefined) {
      o.sync(key);
      return;
    }
    try {
      o.sync(key);
    } catch (error) {
      o.onError(error, key);
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
    cancelTurn ??= o.clock.after(0, turn);
  };
  const add = (key: string): void => {
    ready.add(key);
    scheduleTurn();
  };
  const ring = (): void => {
    alarm = undefined;
    for (
      let next = delayed.peek();
      next !== undefined && next.atMs <= o.clock.nowMs();
      next = delayed.peek()
    ) {
      delayed.pop();
      if (dueAtMs.get(next.key) === next.atMs) dueAtMs.delete(next.key);
      add(next.key);
    }
    setAlarm();
  };
  const setAlarm = (): void => {
    const next = delayed.peek();
    if (next === undefined || (alarm !== undefined && alarm.atMs <= next.atMs)) return;
    alarm?.cancel();
    alarm = { atMs: next.atMs, cancel: o.clock.after(Math.max(0, next.atMs - o.clock.nowMs()), ring) };
  };

  return {
    add,
    addAfter(key, delayMs) {
      if (delayMs <= 0) {
        add(key);
        return;
      }
      const atMs = o.clock.nowMs() + delayMs;
      if ((dueAtMs.get(key) ?? Number.POSITIVE_INFINITY) <= atMs) return;
      dueAtMs.set(key, atMs);
      delayed.push({ atMs, key });
      setAlarm();
    },
    stop() {
      cancelTurn?.();
      alarm?.cancel();
      cancelTurn = undefined;
      alarm = undefined;
      ready.clear();
      dueAtMs.clear();
      while (delayed.pop() !== undefined);
    },
  };
}
