import type { Clock } from "@plimsoll/kube";

/** Runs keys in turn: never one key twice at once, and no more than `concurrency` that make progress. */
export interface RunQueue {
  /** For a turn that came round: false when the key is still waiting or running, and the turn is lost. */
  offer(key: string): boolean;
  /** Runs the key in any case; resolves after a run that began after this call. */
  push(key: string): Promise<void>;
  /** Takes a waiting key out; a running one ends by itself. */
  drop(key: string): void;
  /** No more runs begin; resolves when those under way have ended. */
  stop(): Promise<void>;
  readonly waiting: number;
  readonly running: number;
  readonly slow: number;
}

interface Entry {
  running: boolean;
  /** Those who wait for the run that has not begun yet; present when there is to be one. */
  next: (() => void)[] | undefined;
}

/**
 * `run` must not reject. A run that takes longer than `slowAfterMs` stops counting against `concurrency`, so that
 * something slow delays nobody else; at most `slowLimit` runs may be set aside in this way.
 */
export function createRunQueue(o: {
  readonly clock: Clock;
  readonly concurrency: number;
  readonly slowAfterMs: number;
  readonly slowLimit: number;
  readonly run: (key: string) => Promise<void>;
}): RunQueue {
  const entries = new Map<string, Entry>();
  let ready: string[] = [];
  let head = 0;
  let active = 0;
  let slow = 0;
  let isStopped = false;
  let onIdle: (() => void) | undefined;

  return {
    offer,
    push,
    drop,
    stop,
    get waiting() {
      return ready.length - head;
    },
    get running() {
      return active + slow;
    },
    get slow() {
      return slow;
    },
  };

  function offer(key: string): boolean {
    if (entries.has(key)) return false;
    void push(key);
    return true;
  }

  function push(key: string): Promise<void> {
    if (isStopped) return Promise.resolve();
    const entry = entries.get(key) ?? { running: false, next: undefined };
    entries.set(key, entry);
    return new Promise((resolve) => {
      if (entry.next !== undefined) {
        entry.next.push(resolve);
        return;
      }
      entry.next = [resolve];
      if (!entry.running) enqueue(key);
    });
  }

  function drop(key: string): void {
    const entry = entries.get(key);
    if (entry?.next === undefined) return;
    const waiters = entry.next;
    entry.next = undefined;
    if (!entry.running) entries.delete(key);
    for (const resolve of waiters) resolve();
  }

  async function stop(): Promise<void> {
    isStopped = true;
    for (const key of entries.keys()) drop(key);
    if (active + slow === 0) return;
    await new Promise<void>((resolve) => {
      onIdle = resolve;
    });
  }

  function enqueue(key: string): void {
    ready.push(key);
    pump();
  }

  function pump(): void {
    if (isStopped) return;
    while (active < o.concurrency && head < ready.length) {
      const key = ready[head++];
      if (head > 1000 && head * 2 > ready.length) {
        ready = ready.slice(head);
        head = 0;
      }
      const entry = key === undefined ? undefined : entries.get(key);
      if (key === undefined || entry?.next === undefined || entry.running) continue;
      const waiters = entry.next;
      entry.next = undefined;
      entry.running = true;
      void begin(key, entry, waiters);
    }
  }

  async function begin(key: string, entry: Entry, waiters: readonly (() => void)[]): Promise<void> {
    active++;
    let isSlow = false;
    const cancel = o.clock.after(o.slowAfterMs, () => {
      if (slow >= o.slowLimit) return;
      isSlow = true;
      active--;
      slow++;
      pump();
    });
    await o.run(key);
    cancel();
    if (isSlow) slow--;
    else active--;
    entry.running = false;
    for (const resolve of waiters) resolve();
    if (entry.next === undefined) entries.delete(key);
    else ready.push(key);
    pump();
    if (active + slow === 0) onIdle?.();
  }
}
