// Schedules the next run of each key.
import { backoffMs, type Clock, type KeyedEntries } from "@plimsoll/component-base";
import {
  afterRun,
  afterTimer,
  emptyPlan,
  isRetry,
  isSkipping,
  type KeyPlan,
  nextAtMs,
  withDelay,
} from "./key-plan.ts";
import { createKeyTimers } from "./key-timers.ts";
import { createPeriodWheel } from "./period-wheel.ts";
import type { Priority } from "./priority-lines.ts";
import type { ReconcileResult } from "./reconcile-result.ts";

/** When each key runs next by itself: by its period, as its last run wanted, or after a failure. */
export interface KeySchedule {
  readonly periodic: number;
  readonly hasPeriods: boolean;
  /** Everything that is kept by key. */
  readonly entries: Readonly<Record<"plans" | "timers" | "periods", KeyedEntries>>;
  /** `first`: the key runs now, and the first period is one period from now, or it is after so many milliseconds. */
  addPeriod(key: string, periodMs: number | undefined, first: "now" | number | undefined): void;
  enqueueAfter(key: string, delayMs: number): void;
  /** A run has ended; what earlier runs wanted is replaced. */
  ended(key: string, result: ReconcileResult): void;
  /** A run has ended in an exception. Returns how many did in a row. */
  failed(key: string): number;
  drop(key: string): void;
  /** For good. */
  stop(): void;
}

/** Where the schedule gets its times, and whom it calls. */
export interface KeyScheduleOptions {
  readonly clock: Clock;
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly periodMs?: number;
  readonly backoff?: { readonly baseMs: number; readonly maxMs: number };
  /** Returns whether the key was not waiting or running yet. */
  readonly enqueue: (key: string, priority: Priority) => boolean;
  readonly onPeriod: (key: string, lateMs: number, isSkipped: boolean) => void;
}

const defaultBackoff = { baseMs: 1000, maxMs: 300_000 };

export function createKeySchedule(options: KeyScheduleOptions): KeySchedule {
  const { clock, nowMs, random, enqueue, periodMs, backoff = defaultBackoff } = options;
  /** Only of keys of which there is something to remember. */
  const plans = new Map<string, KeyPlan>();
  const timers = createKeyTimers(clock, onTimer);
  const wheel = periodMs === undefined ? undefined : createPeriodWheel({ clock, periodMs, onTime: onPeriod });

  const planOf = (key: string): KeyPlan => plans.get(key) ?? emptyPlan;

  function save(key: string, plan: KeyPlan): void {
    const atMs = nextAtMs(plan);
    if (atMs === undefined) timers.delete(key);
    else timers.set(key, atMs);
    if (atMs === undefined && plan.failures === 0 && !isSkipping(plan, nowMs())) plans.delete(key);
    else plans.set(key, plan);
  }

  function onTimer(key: string): void {
    const plan = planOf(key);
    save(key, afterTimer(plan, clock.nowMs()));
    enqueue(key, isRetry(plan, clock.nowMs()) ? "periodic" : "event");
  }

  function onPeriod(key: string, lateMs: number): void {
    const isSkipped = isSkipping(planOf(key), nowMs()) || !enqueue(key, "periodic");
    options.onPeriod(key, lateMs, isSkipped);
  }

  function fail(key: string, result: ReconcileResult, maxMs: number): number {
    const failures = planOf(key).failures + 1;
    const waitMs = backoffMs(failures - 1, { ...backoff, maxMs, random });
    const plan = afterRun(planOf(key), { skipMs: waitMs, ...result }, nowMs());
    save(key, { ...plan, failures, retryAtMs: clock.nowMs() + waitMs });
    return failures;
  }

  return {
    get periodic() {
      return wheel?.size ?? 0;
    },
    hasPeriods: wheel !== undefined,
    entries: { plans, timers, periods: wheel ?? new Map<string, never>() },
    addPeriod: (key, ownPeriodMs, first) => wheel?.add(key, ownPeriodMs, first),
    enqueueAfter: (key, delayMs) => save(key, withDelay(planOf(key), clock.nowMs() + delayMs)),
    ended(key, result) {
      if (result.retry !== undefined) fail(key, result, result.retry.maxMs ?? backoff.maxMs);
      else save(key, afterRun(planOf(key), result, nowMs()));
    },
    failed: (key) => fail(key, {}, backoff.maxMs),
    drop(key) {
      plans.delete(key);
      timers.delete(key);
      wheel?.remove(key);
    },
    stop() {
      timers.stop();
      wheel?.stop();
    },
  };
}
