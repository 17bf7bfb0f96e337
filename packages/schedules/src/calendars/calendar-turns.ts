import { backoffMs, createBoundedCache } from "@plimsoll/component-base";

/** A calendar that is read next, and the namespace that it is for. */
export interface CalendarTurn {
  readonly space: string;
  readonly key: string;
}

/** Picks the next calendar to read: round-robin over namespaces, with a pause for one whose calendars took long. */
export interface CalendarTurns {
  add(space: string, key: string): void;
  remove(space: string, key: string): void;
  next(nowMs: number): CalendarTurn | undefined;
  /** When the first pending calendar may be read; undefined when none is pending. */
  resumesAtMs(): number | undefined;
  isPaused(space: string, nowMs: number): boolean;
  /** A calendar of a namespace took so long on the thread. */
  took(space: string, tookMs: number, nowMs: number): void;
}

/** A calendar at all limits takes half a second. */
const slowMs = 1000;
/** A namespace with slow ones uses a tenth of the thread, then ever less of it. */
const pauseFactor = 9;
const maxPauseMs = 600_000;
const forgetMs = 3_600_000;

interface Pause {
  readonly untilMs: number;
  readonly count: number;
}

export function createCalendarTurns(timing: {
  readonly nowMs: () => number;
  readonly after: (delayMs: number, run: () => void) => unknown;
}): CalendarTurns {
  /** Keys of what each namespace waits for; the first one is next. */
  const queues = new Map<string, Set<string>>();
  const pauses = createBoundedCache<Pause>({
    ...timing,
    name: "calendar_pauses",
    maxBytes: 1_000_000,
    ttlMs: forgetMs,
  });
  const pausedUntilMs = (space: string) => pauses.get(space)?.untilMs ?? 0;

  return {
    add(space, key) {
      queues.set(space, (queues.get(space) ?? new Set()).add(key));
    },
    remove(space, key) {
      const keys = queues.get(space);
      keys?.delete(key);
      if (keys?.size === 0) queues.delete(space);
    },
    next(nowMs) {
      for (const [space, keys] of queues) {
        const [key] = keys;
        if (key === undefined || pausedUntilMs(space) > nowMs) continue;
        queues.delete(space);
        keys.delete(key);
        if (keys.size > 0) queues.set(space, keys);
        return { space, key };
      }
      return undefined;
    },
    resumesAtMs() {
      const times = [...queues.keys()].map(pausedUntilMs);
      return times.length === 0 ? undefined : times.reduce((a, b) => Math.min(a, b));
    },
    isPaused: (space, nowMs) => pausedUntilMs(space) > nowMs,
    took(space, tookMs, nowMs) {
      if (tookMs <= slowMs) return;
      const count = (pauses.get(space)?.count ?? 0) + 1;
      const pauseMs = backoffMs(count - 1, { baseMs: pauseFactor * tookMs, maxMs: maxPauseMs });
      pauses.set(space, { untilMs: nowMs + pauseMs, count });
    },
  };
}
