import type { Clock, KeyedEntries } from "@plimsoll/component-base";
import { createKeyHeap } from "./key-heap.ts";

/** One instant for each key, all on one timer of the clock. */
export interface KeyTimers extends KeyedEntries {
  /** Replaces the instant of the key, in milliseconds since 1970. */
  set(key: string, atMs: number): void;
  delete(key: string): void;
  /** For good. */
  stop(): void;
}

/** A wall clock that was set is noticed within this. */
const maxSleepMs = 5000;
/** A wall clock that was set back by less makes keys late by as much, and is not worth calling all of them. */
const maxSetBackMs = 1000;

/**
 * Calls `onTime` once for each key at its instant by the wall clock, also when that is set ahead. When it is set back, for
 * all keys at once, because their instants were computed from a wrong time. `onTime` must not throw.
 */
export function createKeyTimers(clock: Clock, onTime: (key: string) => void): KeyTimers {
  const heap = createKeyHeap();
  /** The keys whose instant is reached, and that were not called yet. */
  const reached = new Set<string>();
  let cancel: (() => void) | undefined;
  let armedForMs = Number.POSITIVE_INFINITY;
  /** The latest instant that the clock has shown while keys wait, since it was set back. */
  let latestMs = Number.NEGATIVE_INFINITY;
  let isStopped = false;

  function arm(): void {
    cancel?.();
    cancel = undefined;
    armedForMs = Number.POSITIVE_INFINITY;
    if (heap.first === undefined) latestMs = Number.NEGATIVE_INFINITY;
    if (isStopped || heap.first === undefined) return;
    const nowMs = clock.nowMs();
    armedForMs = nowMs < latestMs - maxSetBackMs ? nowMs : Math.min(heap.first.rank, nowMs + maxSleepMs);
    latestMs = Math.max(latestMs, nowMs);
    cancel = clock.after(Math.max(armedForMs - nowMs, 0), fire);
  }

  function fire(): void {
    const nowMs = clock.nowMs();
    const isSetBack = nowMs < latestMs - maxSetBackMs;
    if (isSetBack) latestMs = nowMs;
    const untilMs = isSetBack ? Number.POSITIVE_INFINITY : nowMs;
    while (heap.first !== undefined && heap.first.rank <= untilMs) {
      reached.add(heap.first.key);
      heap.delete(heap.first.key);
    }
    arm();
    for (const key of reached) {
      reached.delete(key);
      onTime(key);
    }
  }

  return {
    get size() {
      return heap.size;
    },
    keys: heap.keys,
    set(key, atMs) {
      heap.set(key, atMs);
      if (atMs < armedForMs) arm();
    },
    delete(key) {
      heap.delete(key);
      reached.delete(key);
      if (heap.size === 0) arm();
    },
    stop() {
      isStopped = true;
      reached.clear();
      arm();
    },
  };
}
