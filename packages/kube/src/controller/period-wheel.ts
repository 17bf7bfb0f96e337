import { type Clock, type KeyedEntries, steadyNowMs } from "@plimsoll/component-base";
import { createPeriodBuckets } from "./period-buckets.ts";

/** A timer wheel that calls `onTime` once per period for each key, all keys spread over the period. */
export interface PeriodWheel extends KeyedEntries {
  /**
   * Adds a key, or changes its period; without one it has the usual period. The first time comes within one period, and for a
   * new key after `first` or a little later: so many milliseconds, or one period for a key that the caller runs "now".
   */
  add(key: string, periodMs?: number, first?: "now" | number): void;
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
/** Ticks without keys are slept through, so many of them: a clock that was set, or a machine that slept, is noticed then. */
const maxSleepMs = 5000;

/** How a wheel runs; `onTime` gets by how much the key is late, and must not throw. */
export interface PeriodWheelOptions {
  readonly clock: Clock;
  /** The usual period. */
  readonly periodMs: number;
  readonly onTime: (key: string, lateMs: number) => void;
}

interface State {
  readonly options: PeriodWheelOptions;
  readonly tickMs: number;
  readonly strideOf: (periodMs: number) => number;
  readonly buckets: ReturnType<typeof createPeriodBuckets>;
  originMs: number;
  /** The tick that was served last, counted from `originMs`. */
  cursor: number;
  /** The tick that the timer is set for: those between the cursor and it have no keys. */
  armedFor: number;
  cancel: (() => void) | undefined;
}

export function createPeriodWheel(options: PeriodWheelOptions): PeriodWheel {
  const { clock, periodMs } = options;
  const tickMs = Math.max(minTickMs, Math.min(periodMs, maxTickPeriodMs) / ticksPerPeriod);
  const buckets = createPeriodBuckets();
  const state: State = {
    options,
    tickMs,
    strideOf: (ms) => Math.max(1, Math.round(ms / tickMs)),
    buckets,
    originMs: 0,
    cursor: 0,
    armedFor: Number.POSITIVE_INFINITY,
    cancel: undefined,
  };
  let isStopped = false;
  return {
    get size() {
      return buckets.size;
    },
    keys: buckets.keys,
    add(key, ownPeriodMs = periodMs, first?: "now" | number) {
      if (isStopped) return;
      const nowMs = steadyNowMs(clock);
      if (state.cancel === undefined) state.originMs = nowMs - state.cursor * tickMs;
      // What was slept through so far is over.
      state.cursor = Math.max(state.cursor, Math.min(tickAt(state, nowMs), state.armedFor - 1));
      const firstInMs = first === "now" ? ownPeriodMs : first;
      const firstIn = firstInMs === undefined ? undefined : Math.ceil(firstInMs / tickMs);
      const tick = buckets.add(key, state.strideOf(ownPeriodMs), { after: state.cursor, firstIn });
      if (tick < state.armedFor) wait(state);
    },
    remove(key) {
      buckets.remove(key);
      if (buckets.size === 0) halt(state);
    },
    stop() {
      isStopped = true;
      halt(state);
    },
  };
}

function tickAt({ originMs, tickMs }: State, nowMs: number): number {
  return Math.floor((nowMs - originMs) / tickMs);
}

/** Sets the timer for the next tick that has keys. */
function wait(state: State): void {
  const { buckets, cursor, options, originMs, tickMs } = state;
  const last = cursor + Math.max(1, Math.floor(maxSleepMs / tickMs));
  let tick = cursor + 1;
  while (tick < last && !buckets.hasAt(tick)) tick++;
  const leftMs = originMs + tick * tickMs - steadyNowMs(options.clock);
  // Behind, the interval stays one tick; a clock that was set back makes no wait longer.
  const waitMs = leftMs <= 0 ? tickMs : Math.min(leftMs, (tick - cursor) * tickMs);
  state.cancel?.();
  state.armedFor = tick;
  state.cancel = options.clock.after(waitMs, () => serve(state));
}

function halt(state: State): void {
  state.cancel?.();
  state.cancel = undefined;
  state.armedFor = Number.POSITIVE_INFINITY;
}

function serve(state: State): void {
  const { buckets, options, strideOf, tickMs } = state;
  const nowMs = steadyNowMs(options.clock);
  state.cursor = state.armedFor - 1;
  let current = tickAt(state, nowMs);
  // A wall clock that was set (or a machine that slept) moves the origin, not the work.
  if (current < state.cursor || current > state.cursor + 2 * strideOf(options.periodMs)) {
    current = state.cursor + 1;
    state.originMs = nowMs - current * tickMs;
  }
  const served: (readonly [keys: readonly string[], lateMs: number])[] = [];
  while (state.cursor < current && served.length < maxServed) {
    state.cursor++;
    const keys = buckets.serve(state.cursor, Math.max(state.cursor, current - 1));
    if (keys.length > 0) served.push([keys, Math.max(0, nowMs - (state.originMs + state.cursor * tickMs))]);
  }
  wait(state);
  for (const [keys, lateMs] of served)
    for (const key of keys) if (buckets.has(key)) options.onTime(key, lateMs);
}
