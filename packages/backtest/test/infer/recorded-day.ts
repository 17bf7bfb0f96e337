// A simulated day of an autoscaler on a moving, noisy load, for what is inferred from its recording.

import { hourMs } from "@plimsoll/core/internal/values";
import type { Autoscaler, Load, Scenario } from "@plimsoll/simulator";
import { pod, scenario, startMs, workload } from "@plimsoll/simulator/testing";

export const waves: Load = {
  kind: "noise",
  of: { kind: "sine", mean: 900, amplitude: 700, periodMs: 6 * hourMs, peakAtMs: startMs + 3 * hourMs },
  deviation: 0.05,
  memoryMs: 20_000,
};

export const cpuMetric = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } },
} as const;

export interface DayOptions {
  readonly load?: Load;
  readonly hours?: number;
  readonly rateMs?: number;
  readonly scrapeMs?: number;
  readonly idleCpu?: number;
}

/** Pods are Ready after a median of 22 seconds. */
export function recordedDay(autoscaler: Autoscaler | undefined, options: DayOptions = {}): Scenario {
  const { load = waves, hours = 6, rateMs = 30_000, scrapeMs = 15_000, idleCpu = 0 } = options;
  const controller = { syncPeriodMs: 15_000, slipMs: 20, firstSyncMs: 5000, reactionMs: 200, options: {} };
  const start = {
    schedule: { kind: "fixed", ms: 900 },
    pull: { kind: "fixed", ms: 3300 },
    ready: { kind: "log-normal", medianMs: 18_000, p95Ms: 40_000 },
  } as const;
  const slow = { ...pod, start, idleCpu, terminationMs: 20_000 };
  const metrics = { http_requests_per_second: { of: "requests", query: "rate", windowMs: rateMs } } as const;
  const own = workload({ replicas: 5, load, pod: slow, metrics });
  const made = scenario({ durationMs: hours * hourMs, controller }, [
    autoscaler === undefined ? own : { ...own, autoscaler },
  ]);
  return { ...made, scraping: { ...made.scraping, intervalMs: scrapeMs } };
}
