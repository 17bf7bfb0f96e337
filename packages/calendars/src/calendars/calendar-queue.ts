// The queue of calendars that wait to be read: round-robin over namespaces, so that slow ones of one delay its own.
import { backoffMs, createBoundedCache } from "@plimsoll/component-base";

/** A calendar that is read next, and the namespace that it is for. */
export interface QueuedCalendar {
  readonly namespace: string;
  readonly key: string;
}

/** Picks the next calendar to read: round-robin over namespaces, with a pause for one whose calendars took long. */
export type CalendarQueue = ReturnType<typeof createCalendarQueue>;

/** A calendar at all limits takes half a second. */
const slowMs = 1000;
/** A namespace with slow ones uses a tenth of the thread, then ever less of it. */
const pauseFactor = 9;
const maxPauseMs = 600_000;
const forgetMs = 3_600_000;

export function createCalendarQueue(timing: {
  readonly nowMs: () => number;
  readonly after: (delayMs: number, run: () => void) => unknown;
}) {
  /** Keys of what each namespace waits for; the first one is next. */
  const queues = new Map<string, Set<string>>();
  const pauses = createBoundedCache<{ readonly untilMs: number; readonly count: number }>({
    ...timing,
    name: "calendar_pauses",
    maxBytes: 1_000_000,
    ttlMs: forgetMs,
  });
  const pausedUntilMs = (namespace: string) => pauses.get(namespace)?.untilMs ?? 0;

  return {
    add(namespace: string, key: string): void {
      queues.set(namespace, (queues.get(namespace) ?? new Set()).add(key));
    },
    remove(namespace: string, key: string): void {
      const keys = queues.get(namespace);
      keys?.delete(key);
      if (keys?.size === 0) queues.delete(namespace);
    },
    next(nowMs: number): QueuedCalendar | undefined {
      for (const [namespace, keys] of queues) {
        const [key] = keys;
        if (key === undefined || pausedUntilMs(namespace) > nowMs) continue;
        queues.delete(namespace);
        keys.delete(key);
        if (keys.size > 0) queues.set(namespace, keys);
        return { namespace, key };
      }
      return undefined;
    },
    /** When the first pending calendar may be read; undefined when none is pending. */
    resumesAtMs(): number | undefined {
      const times = [...queues.keys()].map(pausedUntilMs);
      return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));
    },
    isPaused: (namespace: string, nowMs: number): boolean => pausedUntilMs(namespace) > nowMs,
    /** How long a calendar of a namespace took on the thread. */
    took(namespace: string, tookMs: number, nowMs: number): void {
      if (tookMs <= slowMs) return;
      const count = (pauses.get(namespace)?.count ?? 0) + 1;
      const pauseMs = backoffMs(count - 1, { baseMs: pauseFactor * tookMs, maxMs: maxPauseMs });
      pauses.set(namespace, { untilMs: nowMs + pauseMs, count });
    },
  };
}
