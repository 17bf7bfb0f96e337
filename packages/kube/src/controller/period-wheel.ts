import type { Clock } from "@plimsoll/component-base";
import { createPeriodBuckets } from "./period-buckets.ts";

/** A timer wheel that calls `onTime` once per period for each key, all keys spread over the period. */
export interface PeriodWheel {
  readonly size: number;
  /** Adds a key, or changes its period; without one it has the usual period. */
  add(key: string, periodMs?: number): void;
  remove(key: string): void;
  /** For good. */
  stop(): void;
}

const ticksPerPeriod = 150;
const minTickMs = 20;
/** Long periods do not make for longer ticks than this one does: single keys may have short periods. */
const maxTickPeriodMs = 15_000;
/** Ticks with keys that are served at a time: two, so that lost time is caught up at twice the rate at most. */
const maxServed = 2;

/** How a wheel runs; `onTime` gets by how much the key is late, and must not throw. */
export interface PeriodWheelOptions {
  readonly clock: Clock;
  /** The usual period. */
  readonly periodMs: number;
  readonly onTime: (key: string, lateMs: number) => void;
}

export function createPeriodWheel({ clock, periodMs, onTime }: PeriodWheelOptions): PeriodWheel {
  const tickMs = Math.max(minTickMs, Math.min(periodMs, maxTickPeriodMs) / ticksPerPeriod);
  const strideOf = (ms: number): number => Math.max(1, Math.round(ms / tickMs));
  const buckets = createPeriodBuckets();
  let originMs = 0;
  /** The tick that was served last, counted from `originMs`. */
  let cursor = 0;
  let cancel: (() => void) | undefined;
  let isStopped = false;

  function wait(): void {
    const nextMs = originMs + (cursor + 1) * tickMs - clock.nowMs();
    cancel = clock.after(atLeastTick(nextMs, tickMs), serve);
  }

  function halt(): void {
    cancel?.();
    cancel = undefined;
  }

  function serve(): void {
    const nowMs = clock.nowMs();
    let current = Math.floor((nowMs - originMs) / tickMs);
    // A wall clock that was set (or a machine that slept) moves the origin, not the work.
    if (current < cursor || current > cursor + 2 * strideOf(periodMs)) {
      current = cursor + 1;
      originMs = nowMs - current * tickMs;
    }
    const served: (readonly [keys: readonly string[], lateMs: number])[] = [];
    while (cursor < current && served.length < maxServed) {
      cursor++;
      const keys = buckets.serve(cursor, Math.max(cursor, current - 1));
      if (keys.length > 0) served.push([keys, Math.max(0, nowMs - (originMs + cursor * tickMs))]);
    }
    wait();
    for (const [keys, lateMs] of served) for (const key of keys) if (buckets.has(key)) onTime(key, lateMs);
  }

  return {
    get size() {
      return buckets.size;
    },
    add(key, ownPeriodMs = periodMs) {
      if (isStopped) return;
      if (cancel === undefined) {
        originMs = clock.nowMs() - cursor * tickMs;
        wait();
      }
      buckets.add(key, strideOf(ownPeriodMs), cursor);
    },
    remove(key) {
      buckets.remove(key);
      if (buckets.size === 0) halt();
    },
    stop() {
      isStopped = true;
      halt();
    },
  };
}

/** Behind by a tick or more, the interval stays one tick. */
function atLeastTick(delayMs: number, tickMs: number): number {
  return delayMs <= 0 ? tickMs : Math.min(delayMs, tickMs);
}
