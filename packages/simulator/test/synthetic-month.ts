// Months of a workload that never was: a load with days and weeks, and what an autoscaler on it is recorded to have done.
import {
  type Autoscaler,
  type InferredLoad,
  inferLoad,
  type Load,
  type Recording,
  type Scenario,
  simulate,
  type WorkloadScores,
} from "../src/index.ts";
import { randomStream } from "../src/random/stream.ts";
import { recordScenario } from "./recorder.ts";
import { hpa, pod, podsMetric, scenario, workload } from "./scenarios.ts";

const dayMs = 86_400_000;
const stepMs = 600_000;
/** A Monday. */
export const monthMs = Date.parse("2026-01-05T00:00:00Z");
/** Requests per second of a pod above which it is hot. */
export const hotAbove = 80;
const rateMs = 60_000;

export interface MonthOf {
  readonly seed: number;
  readonly days: number;
  readonly periodMs: number;
  /** Pods at the top of a usual day, about. */
  readonly pods: number;
}

export function target(value: number, spec: Partial<Autoscaler["hpa"]["spec"]> = {}): Autoscaler {
  const metrics = [podsMetric("http_requests_per_second", String(value))];
  return hpa({ metrics, minReplicas: 2, maxReplicas: 60, ...spec });
}

/** A day with a top in the morning and one in the evening, weekends with less, and no two days alike. */
export function monthLoad({ seed, days, pods }: MonthOf): Load {
  const stream = randomStream(seed, "month");
  const [first, second] = [9 + 3 * stream.uniform(), 17 + 4 * stream.uniform()];
  const [low, weekend] = [0.15 + 0.2 * stream.uniform(), 0.5 + 0.4 * stream.uniform()];
  const shapes = Array.from({ length: days + 1 }, (_, day) => {
    const isWeekend = day % 7 >= 5;
    const factor = (isWeekend ? weekend : 1) * (0.92 + 0.16 * stream.uniform());
    return { factor, early: (stream.uniform() - 0.5) * 0.6, ratio: 0.7 + 0.3 * stream.uniform() };
  });
  const atMs = Array.from({ length: (days * dayMs) / stepMs + 1 }, (_, at) => monthMs + at * stepMs);
  const perSecond = atMs.map((ms) => {
    const since = ms - monthMs;
    const { factor = 1, early = 0, ratio = 1 } = shapes[Math.floor(since / dayMs)] ?? {};
    const hour = (since % dayMs) / 3_600_000;
    const bump = (top: number, width: number): number => Math.exp(-(((hour - top) / width) ** 2));
    const shape = ratio * bump(first + early, 2.2) + bump(second + early, 2.6);
    return 60 * pods * factor * (low + (1 - low) * Math.min(1, shape));
  });
  return {
    kind: "noise",
    of: { kind: "points", shape: "lines", atMs, perSecond },
    deviation: 0.04,
    memoryMs: 60_000,
  };
}

export function monthScenario(of: MonthOf, autoscaler: Autoscaler, fromDay = 0): Scenario {
  const controller = {
    syncPeriodMs: of.periodMs,
    slipMs: 20,
    firstSyncMs: 5000,
    reactionMs: 200,
    options: {},
  };
  const start = {
    schedule: { kind: "fixed", ms: 900 },
    pull: { kind: "fixed", ms: 3300 },
    ready: { kind: "log-normal", medianMs: 18_000, p95Ms: 40_000 },
  } as const;
  const own = workload({
    replicas: 3,
    load: monthLoad(of),
    pod: { ...pod, start, terminationMs: 20_000 },
    metrics: { http_requests_per_second: { of: "requests", query: "rate", windowMs: rateMs } },
    objective: { utilization: hotAbove / 200 },
    autoscaler,
  });
  const made = scenario(
    {
      startMs: monthMs + fromDay * dayMs,
      durationMs: (of.days - fromDay) * dayMs,
      seed: of.seed,
      controller,
    },
    [own],
  );
  return { ...made, scraping: { ...made.scraping, intervalMs: 15_000 } };
}

/** Of the first days. */
export function recordedMonth(
  of: MonthOf,
  autoscaler: Autoscaler,
  days: number,
): { readonly recording: Recording; readonly inferred: InferredLoad } {
  const whole = monthScenario(of, autoscaler);
  const recording = recordScenario({ ...whole, durationMs: days * dayMs });
  const read = inferLoad(recording, { autoscaler, rateMs, scrapeMs: 15_000 });
  if (!read.ok) throw new Error(read.message);
  return { recording, inferred: read.load };
}

/** What really happened on the days that were not recorded. */
export function unseen(of: MonthOf, autoscaler: Autoscaler, fromDay: number): WorkloadScores {
  const scores = simulate(monthScenario(of, autoscaler, fromDay), { seriesPoints: 0 }).workloads[0]?.scores;
  if (scores === undefined) throw new Error("the month has no workload");
  return scores;
}
