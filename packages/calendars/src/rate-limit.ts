// Limits how often an object is evaluated because of its schedules: a burst, then once per period.
import { type Clock, createBoundedCache } from "@plimsoll/component-base";
/** The rate limit of each object, by its key. */
export type RateLimit = ReturnType<typeof createRateLimit>;

/** Steps of a ramp, or events of a calendar, may follow each other by milliseconds. */
const minWaitMs = 1000;
const burst = 10;
const periodMs = 15_000;

export function createRateLimit(clock: Clock) {
  /** When all recorded evaluations will have had a period each. Entries expire, so deleted objects are not kept. */
  const paidAtMs = createBoundedCache<number>({
    name: "schedule_rate_limit",
    maxBytes: 8_000_000,
    ttlMs: burst * periodMs,
    nowMs: () => clock.nowMs(),
    after: (delayMs, run) => clock.after(delayMs, run),
  });
  return {
    /** The first instant from `wantedMs` on at which the limit allows an evaluation. */
    nextMs(key: string, wantedMs: number, nowMs: number): number {
      const paid = Math.min(paidAtMs.get(key) ?? 0, nowMs + burst * periodMs);
      return Math.max(wantedMs, nowMs + minWaitMs, paid - (burst - 1) * periodMs);
    },
    /** Counts an evaluation. */
    record(key: string, nowMs: number): void {
      const paid = Math.min(paidAtMs.get(key) ?? 0, nowMs + (burst - 1) * periodMs);
      paidAtMs.set(key, Math.max(paid, nowMs) + periodMs);
    },
  };
}
