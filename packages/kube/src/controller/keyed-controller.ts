// A controller as controller-runtime has it: reconciles keys with a queue, backoff, timers and a sync period.
import { type Clock, type KeyedEntries, steadyNowMs } from "@plimsoll/component-base";
import { safely } from "../safely.ts";
import { createKeySchedule, type KeySchedule } from "./key-schedule.ts";
import { namespaceOf } from "./period-buckets.ts";
import type { Priority } from "./priority-lines.ts";
import type { ReconcileResult } from "./reconcile-result.ts";
import type { RunLimitOptions } from "./run-limit.ts";
import { createWorkQueue } from "./work-queue.ts";

/** How a run ended. "aborted": the key was lost, or the controller stopped, before. */
export type RunOutcome = "done" | "retry" | "failed" | "aborted";

/** Follows a controller, for metrics. What it throws goes to `onError`. */
export interface ControllerObserver {
  /** A period of the key came; it is skipped while the key waits, runs or skips periods. */
  period?(key: string, event: { readonly lateMs: number; readonly isSkipped: boolean }): void;
  /** A run begins, after having waited in the queue. */
  started?(key: string, event: { readonly waitedMs: number }): void;
  ended?(key: string, event: { readonly tookMs: number; readonly outcome: RunOutcome }): void;
}

/** Reconciles objects by key. All that it knows of a key ends with `lost`. */
export interface KeyedController {
  /** Keys that wait for a run. */
  readonly waiting: number;
  readonly running: number;
  /** Runs under way that are slow, and no longer count against the concurrency. */
  readonly slow: number;
  /** Keys that run once per period. */
  readonly periodic: number;
  /** Everything that is kept by key; nothing of a key that was lost, once its run has ended. */
  readonly entries: Readonly<Record<"queue" | "plans" | "timers" | "periods", KeyedEntries>>;
  /**
   * The key runs as soon as possible. With the priority "event" (the default) it runs after this call in any case; with
   * "periodic" not when it waits or runs already. A key need not be gained for that.
   */
  enqueue(key: string, priority?: Priority): void;
  /** Like `enqueue`; resolves when that run has ended, or when the key was lost before. */
  enqueueAndWait(key: string): Promise<void>;
  /** The key runs after `delayMs`, or earlier if an earlier call wanted that. */
  enqueueAfter(key: string, delayMs: number): void;
  /**
   * The key is this process's. With `options.periodMs` it runs once per period from now on (`periodMs` replaces that for
   * this key), the first time within one period; without, it runs as soon as possible. With a priority it runs as
   * soon as possible in any case, and a key that is new has its first period one period later. With a number, a key that is
   * new has its first period after so many milliseconds.
   */
  gained(key: string, periodMs?: number, first?: Priority | number): void;
  /** The key is not this process's any more, or its object was deleted: its run is aborted, and all of it forgotten. */
  lost(key: string): void;
  /** For good. Aborts the runs under way, and resolves when they have ended. */
  stop(): Promise<void>;
}

/** How keys are reconciled. */
export interface KeyedControllerOptions extends RunLimitOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /**
   * Brings one object to what it should be; never twice at once for one key. The signal aborts when the key is lost or
   * the controller stops: nothing new may begin then.
   */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<ReconcileResult | void>;
  /** An exception of `reconcile`, so many in a row: the key runs once more after a backoff. 0: one of the observer. */
  readonly onError: (key: string, error: unknown, failures: number) => void;
  /**
   * Whether the key may run now. Default: always. A key that may not, or no longer at the end of its run, is retried within
   * 5 s, until it may or is lost: a lease may be invalid for a moment, without an event.
   */
  readonly owns?: (key: string) => boolean;
  /** The usual period; without it there are none. */
  readonly periodMs?: number;
  /** After a failure; by default from 1 s to 5 minutes. */
  readonly backoff?: { readonly baseMs: number; readonly maxMs: number };
  /** Namespaces are served round-robin; by default what stands before the first slash of the key. */
  readonly namespaceOf?: (key: string) => string;
  readonly observer?: ControllerObserver;
}

/** What a key gets that may not run now. */
const notOwned: ReconcileResult = { retry: { maxMs: 5000 } };

/** Why a signal aborted. */
const lostError = new Error("the key was lost");
const stoppedError = new Error("the controller was stopped");

/**
 * A queue of keys without duplicates, with workers, periods, timers and backoff.
 * @upstream sigs.k8s.io/controller-runtime pkg/internal/controller; client-go util/workqueue
 */
export function createKeyedController(options: KeyedControllerOptions): KeyedController {
  const { clock, observer } = options;
  const nowMs = (): number => steadyNowMs(clock);
  const schedule = createKeySchedule({
    ...options,
    nowMs,
    enqueue: (key, priority) => queue.enqueue(key, priority),
    onPeriod: (key, lateMs, isSkipped) =>
      guarded(options, key, () => observer?.period?.(key, { lateMs, isSkipped })),
  });
  const queue = createWorkQueue({
    ...options,
    nowMs,
    namespaceOf: options.namespaceOf ?? namespaceOf,
    run: (key, signal, sinceMs) => runOnce(key, { signal, sinceMs, nowMs, schedule }, options),
  });

  return {
    get waiting() {
      return queue.waiting;
    },
    get running() {
      return queue.running;
    },
    get slow() {
      return queue.slow;
    },
    get periodic() {
      return schedule.periodic;
    },
    entries: { ...schedule.entries, queue: queue.entries },
    enqueue: (key, priority = "event") => void queue.enqueue(key, priority),
    enqueueAndWait: queue.enqueueAndWait,
    enqueueAfter: schedule.enqueueAfter,
    gained(key, periodMs, first) {
      schedule.addPeriod(key, periodMs, typeof first === "string" ? "now" : first);
      if (typeof first === "string") queue.enqueue(key, first);
      else if (!schedule.hasPeriods) queue.enqueue(key, "event");
    },
    lost(key) {
      schedule.drop(key);
      queue.drop(key, lostError);
    },
    stop() {
      schedule.stop();
      return queue.stop(stoppedError);
    },
  };
}

/** One run, whose exceptions end here. */
async function runOnce(
  key: string,
  run: {
    readonly signal: AbortSignal;
    readonly sinceMs: number;
    readonly nowMs: () => number;
    readonly schedule: KeySchedule;
  },
  options: KeyedControllerOptions,
): Promise<void> {
  const { signal, nowMs, schedule } = run;
  const { observer, owns = () => true } = options;
  const startedMs = nowMs();
  guarded(options, key, () => observer?.started?.(key, { waitedMs: startedMs - run.sinceMs }));
  let outcome: RunOutcome = "aborted";
  try {
    const ran = owns(key) ? ((await options.reconcile(key, signal)) ?? {}) : notOwned;
    // A run that was under way at that moment may have stopped early.
    const result = owns(key) ? ran : notOwned;
    if (!signal.aborted) {
      schedule.ended(key, result);
      outcome = result.retry === undefined ? "done" : "retry";
    }
  } catch (error) {
    if (!signal.aborted) {
      outcome = "failed";
      const failures = schedule.failed(key);
      safely(() => options.onError(key, error, failures));
    }
  }
  guarded(options, key, () => observer?.ended?.(key, { tookMs: nowMs() - startedMs, outcome }));
}

/** An observer that throws must not end the loop. */
function guarded(options: KeyedControllerOptions, key: string, call: () => void): void {
  safely(call, (error) => options.onError(key, error, 0));
}
