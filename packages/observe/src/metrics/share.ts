// Shares the result of equal calls to the metrics APIs.
import type { Clock } from "@plimsoll/component-base";
/** Lets callers that want the same thing at the same time share one call. */
export interface Share {
  /** `withinMs`: an older result is not reused. */
  run<T>(key: string, call: () => Promise<T>, withinMs?: number): Promise<T>;
  /** Forgets a result that no caller is expected to want any more. */
  drop(key: string): void;
}

interface SharedCall {
  readonly result: Promise<unknown>;
  /** Undefined while it is in flight. */
  endedAtMs: number | undefined;
  /** Ends the timer that forgets it: with the timer the result would live on. */
  cancel: (() => void) | undefined;
}

/** Shares a call while it is in flight, and its result for a moment more; a failure is not cached. */
export function shareForMoment(clock: Clock, keepMs: number): Share {
  const calls = new Map<string, SharedCall>();
  return {
    run<T>(key: string, call: () => Promise<T>, withinMs = keepMs): Promise<T> {
      const known = calls.get(key);
      if (known !== undefined && isFresh(known, withinMs)) return known.result as Promise<T>;
      known?.cancel?.();
      const result = call();
      const made: SharedCall = { result, endedAtMs: undefined, cancel: undefined };
      calls.set(key, made);
      const forget = () => {
        if (calls.get(key) === made) calls.delete(key);
      };
      const keep = () => {
        made.endedAtMs = clock.nowMs();
        if (calls.get(key) === made) made.cancel = clock.after(keepMs, forget);
      };
      result.then(keep, forget);
      return result;
    },
    drop(key) {
      calls.get(key)?.cancel?.();
      calls.delete(key);
    },
  };

  function isFresh({ endedAtMs }: SharedCall, withinMs: number): boolean {
    return endedAtMs === undefined || Math.abs(clock.nowMs() - endedAtMs) < withinMs;
  }
}

/** Shares every call for as long as this object lives, one pass over all objects; a failure is not kept. */
export function shareForPass(): Share {
  const calls = new Map<string, Promise<unknown>>();
  return {
    run<T>(key: string, call: () => Promise<T>): Promise<T> {
      const known = calls.get(key);
      if (known !== undefined) return known as Promise<T>;
      const made = call();
      calls.set(key, made);
      made.catch(() => calls.delete(key));
      return made;
    },
    drop: (key) => void calls.delete(key),
  };
}

/** Max age of a shared result. */
const maxMomentMs = 1000;
/** The objects of a small namespace are evaluated within a thirtieth of a period; more is for those that are late. */
const momentsPerPeriod = 5;

/** Max age of a shared result for an object with this period: two evaluations in a row never get the same. */
export function momentOf(periodMs: number): number {
  return Math.min(maxMomentMs, periodMs / momentsPerPeriod);
}
