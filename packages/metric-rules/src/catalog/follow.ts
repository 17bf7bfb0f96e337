// Brings changes of MetricRules into force: soon, a namespace at a time, and at a bounded cost.
import { type Clock, steadyNowMs } from "@plimsoll/component-base";

export interface FollowerOptions {
  readonly clock: Clock;
  /** Decides on one namespace once more. */
  readonly update: (namespace: string) => void;
}

/** Changes of a burst are taken together. */
const collectMs = 50;
/** However often the rules of a namespace change, they are decided on once within this. */
const minIntervalMs = 1_000;
/** A namespace whose rules take long to decide on waits longer: it gets a twentieth of the time. */
const pauseFactor = 20;
/** Requests are served between slices. */
const sliceMs = 10;

/** Collects namespaces whose rules have changed. */
export function createFollower({ clock, update }: FollowerOptions) {
  const nowMs = (): number => steadyNowMs(clock);
  /** By namespace, when it may be decided on. */
  const dirty = new Map<string, number>();
  const pauses = createPauses();
  let isStopped = false;
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
      const fromMs = nowMs();
      update(namespace);
      pauses.set(namespace, fromMs, Math.max(minIntervalMs, (nowMs() - fromMs) * pauseFactor));
    }
    if (nextAtMs < Number.POSITIVE_INFINITY) schedule(nextAtMs);
  };

  return {
    changed(namespace: string): void {
      if (isStopped || dirty.has(namespace)) return;
      const dueAtMs = Math.max(nowMs() + collectMs, pauses.endOf(namespace));
      dirty.set(namespace, dueAtMs);
      schedule(dueAtMs);
    },
    stop(): void {
      isStopped = true;
      timer?.cancel();
      timer = undefined;
      dirty.clear();
    },
  };
}

/** After an update, until when a namespace waits for the next one. */
function createPauses() {
  const ends = new Map<string, number>();
  let sweepAtMs = Number.NEGATIVE_INFINITY;
  return {
    endOf: (namespace: string): number => ends.get(namespace) ?? Number.NEGATIVE_INFINITY,
    set(namespace: string, fromMs: number, durationMs: number): void {
      ends.set(namespace, fromMs + durationMs);
      if (fromMs < sweepAtMs) return;
      sweepAtMs = fromMs + minIntervalMs;
      for (const [other, endMs] of ends) if (endMs <= fromMs) ends.delete(other);
    },
  };
}
