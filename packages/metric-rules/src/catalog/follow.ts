// Brings changes of MetricRules into force: soon, a namespace at a time, and at a bounded cost.
import { type Clock, steadyNowMs } from "@plimsoll/component-base";

export interface FollowerOptions {
  readonly clock: Clock;
  /** Decides on one namespace once more. */
  readonly update: (namespace: string) => void;
}

/** Collects namespaces whose rules have changed. */
export interface Follower {
  changed(namespace: string): void;
  stop(): void;
}

/** Changes of a burst are taken together. */
const collectMs = 50;
/** However often the rules of a namespace change, they are decided on once within this. */
const minIntervalMs = 1_000;
/** Requests are served between slices. */
const sliceMs = 10;

export function createFollower({ clock, update }: FollowerOptions): Follower {
  const nowMs = (): number => steadyNowMs(clock);
  /** By namespace, when it may be decided on. */
  const dirty = new Map<string, number>();
  const lastUpdates = createLastUpdates();
  let timer: { readonly atMs: number; readonly cancel: () => void } | undefined;

  const schedule = (atMs: number): void => {
    if (timer !== undefined && timer.atMs <= atMs) return;
    timer?.cancel();
    timer = { atMs, cancel: clock.after(Math.max(0, atMs - nowMs()), run) };
  };

  const run = (): void => {
    timer = undefined;
    const startedAtMs = nowMs();
    let nextAtMs = Number.POSITIVE_INFINITY;
    for (const [namespace, dueAtMs] of dirty) {
      if (dueAtMs > startedAtMs) {
        nextAtMs = Math.min(nextAtMs, dueAtMs);
        continue;
      }
      if (nowMs() - startedAtMs >= sliceMs) {
        nextAtMs = startedAtMs;
        break;
      }
      dirty.delete(namespace);
      lastUpdates.set(namespace, nowMs());
      update(namespace);
    }
    if (nextAtMs < Number.POSITIVE_INFINITY) schedule(nextAtMs);
  };

  return {
    changed(namespace) {
      if (dirty.has(namespace)) return;
      const dueAtMs = Math.max(nowMs() + collectMs, lastUpdates.get(namespace) + minIntervalMs);
      dirty.set(namespace, dueAtMs);
      schedule(dueAtMs);
    },
    stop() {
      timer?.cancel();
      timer = undefined;
      dirty.clear();
    },
  };
}

interface LastUpdates {
  get(namespace: string): number;
  set(namespace: string, atMs: number): void;
}

/** Of the last interval; older updates do not count. */
function createLastUpdates(): LastUpdates {
  /** In their order. */
  const updates = new Map<string, number>();
  return {
    get: (namespace) => updates.get(namespace) ?? Number.NEGATIVE_INFINITY,
    set(namespace, atMs) {
      updates.delete(namespace);
      updates.set(namespace, atMs);
      for (const [oldest, lastMs] of updates) {
        if (atMs - lastMs < minIntervalMs) return;
        updates.delete(oldest);
      }
    },
  };
}
