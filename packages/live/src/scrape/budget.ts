// How many samples the queries of a namespace may read.
import { type Clock, createBoundedCache, steadyNowMs } from "@plimsoll/component-base";

/** Those who choose what is evaluated pay for it. Results that are known cost nothing. */
export type Budget = ReturnType<typeof createBudget>;

/** Of each namespace: 200,000 samples take about 5 % of a core. */
const [rowsPerSecond, burstMs] = [200_000, 2_000];

export const overBudget = `the namespace's live queries read more than ${rowsPerSecond} samples a second: use fewer queries, select fewer series, or use a shorter range`;

export function createBudget(clock: Clock) {
  const paidUntilMs = createBoundedCache<number>({
    name: "live_budget",
    maxBytes: 4 * 1024 * 1024,
    ttlMs: 60_000,
    nowMs: () => steadyNowMs(clock),
    after: (delayMs, run) => clock.after(delayMs, run),
  });
  const paid = (namespace: string): number => Math.max(paidUntilMs.get(namespace) ?? 0, steadyNowMs(clock));
  return {
    isSpent: (namespace: string): boolean => paid(namespace) > steadyNowMs(clock) + burstMs,
    charge: (namespace: string, rows: number): void =>
      paidUntilMs.set(namespace, paid(namespace) + (rows * 1000) / rowsPerSecond),
  };
}
