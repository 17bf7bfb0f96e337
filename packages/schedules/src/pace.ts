import { type Clock, createBoundedCache } from "@plimsoll/component-base";
/** When objects are looked at because of their schedules: a few times at once, then once in each usual period. */
export interface Pace {
  /** Not before an instant, and not more often than that. */
  nextMs(key: string, wantedMs: number, nowMs: number): number;
  looked(key: string, nowMs: number): void;
}

/** Steps of a ramp, or events of a calendar, may follow each other by milliseconds. */
const shortestWaitMs = 1000;
const atOnce = 10;
const periodMs = 15_000;

export function createPace(clock: Clock): Pace {
  /** When as many looks as there were will have had a period each. An object that is gone may be looked at once more. */
  const paidAtMs = createBoundedCache<number>({
    name: "schedule_pace",
    maxBytes: 8_000_000,
    ttlMs: atOnce * periodMs,
    nowMs: () => clock.nowMs(),
    after: (delayMs, run) => clock.after(delayMs, run),
  });
  return {
    nextMs(key, wantedMs, nowMs) {
      const paid = Math.min(paidAtMs.get(key) ?? 0, nowMs + atOnce * periodMs);
      return Math.max(wantedMs, nowMs + shortestWaitMs, paid - (atOnce - 1) * periodMs);
    },
    looked(key, nowMs) {
      const paid = Math.min(paidAtMs.get(key) ?? 0, nowMs + (atOnce - 1) * periodMs);
      paidAtMs.set(key, Math.max(paid, nowMs) + periodMs);
    },
  };
}
