import type { Clock } from "@plimsoll/kube";

export interface Alarm {
  /** Replaces the time that was set for the key. */
  set(key: string, atMs: number): void;
  stop(): void;
}

/** A clock that was set is noticed within this. */
const longestSleepMs = 5000;

/** Calls for each key at its time by the wall clock, also when that is set ahead; when it is set back, for all keys. */
export function createAlarm(clock: Clock, ring: (key: string) => void): Alarm {
  const atMsOf = new Map<string, number>();
  let cancel: (() => void) | undefined;
  let armedForMs = Number.POSITIVE_INFINITY;
  let armedAtMs = Number.NEGATIVE_INFINITY;
  let isStopped = false;

  return {
    set(key, atMs) {
      atMsOf.set(key, atMs);
      if (atMs < armedForMs) arm(atMs);
    },
    stop() {
      isStopped = true;
      cancel?.();
    },
  };

  function arm(atMs: number): void {
    cancel?.();
    if (isStopped) return;
    const nowMs = clock.nowMs();
    armedAtMs = nowMs;
    armedForMs = Math.min(atMs, nowMs + longestSleepMs);
    cancel = clock.after(Math.max(armedForMs - nowMs, 0), tick);
  }

  function tick(): void {
    const nowMs = clock.nowMs();
    let nextMs = Number.POSITIVE_INFINITY;
    armedForMs = Number.POSITIVE_INFINITY;
    const isSetBack = nowMs < armedAtMs;
    for (const [key, atMs] of atMsOf) {
      if (atMs > nowMs) {
        nextMs = Math.min(nextMs, atMs);
        if (isSetBack) ring(key);
        continue;
      }
      atMsOf.delete(key);
      ring(key);
    }
    if (atMsOf.size > 0) arm(Math.min(nextMs, armedForMs));
  }
}
