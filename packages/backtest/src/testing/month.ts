// Months of a workload that never was, searched in seconds: an external metric, a decision every four minutes.
import {
  type Autoscaler,
  type Load,
  type Scenario,
  simulate,
  type WorkloadScores,
} from "@plimsoll/simulator";
import { randomStream } from "@plimsoll/simulator/parts";
import { externalMetric, hpa, pod, scenario, workload } from "@plimsoll/simulator/testing";
import { inferLoad } from "../infer/load.ts";
import type { EvaluateBatch } from "../tune/evaluate.ts";
import { evaluateTask } from "../tune/evaluate-task.ts";
import type { TuneProgress, TuneRefusal, TuneReport } from "../tune/report.ts";
import type { TuneRequest } from "../tune/request.ts";
import { tune } from "../tune/tune.ts";
import { recordScenario } from "./recorder.ts";

const dayMs = 86_400_000;
export const periodMs = 240_000;
/** A Monday. */
export const mondayMs = Date.parse("2026-01-05T00:00:00Z");
/** Load of a pod above which it is hot. */
export const hotAbove = 80;

/** Of the metric of the load, for each pod. */
export function loadTarget(value: number, spec: Partial<Autoscaler["hpa"]["spec"]> = {}): Autoscaler {
  return hpa({ metrics: [externalMetric("load", String(value))], minReplicas: 2, maxReplicas: 60, ...spec });
}

export interface MonthOf {
  readonly today: Autoscaler;
  readonly days: number;
  readonly seed?: number;
  /** By the position of the day, times the usual load. */
  readonly factor?: (day: number) => number;
}

/** A top in the morning, one in the evening, less on weekends, and no day like another. */
function monthLoad({ seed = 1, factor = () => 1 }: MonthOf, days: number): Load {
  const stream = randomStream(seed, "month");
  const noise = randomStream(seed, "noise");
  const [first, second] = [9 + 3 * stream.uniform(), 17 + 4 * stream.uniform()];
  const [low, weekend] = [0.15 + 0.25 * stream.uniform(), 0.6 + 0.4 * stream.uniform()];
  const top = 700 + 900 * stream.uniform();
  const daily = Array.from({ length: days }, (_, day) => ({
    size: factor(day) * (day % 7 >= 5 ? weekend : 1) * (0.92 + 0.16 * stream.uniform()),
    early: 0.6 * (stream.uniform() - 0.5),
    ratio: 0.7 + 0.3 * stream.uniform(),
  }));
  const bump = (hour: number, at: number, width: number): number => Math.exp(-(((hour - at) / width) ** 2));
  const atMs = Array.from({ length: (days * dayMs) / periodMs }, (_, at) => mondayMs + at * periodMs);
  const perSecond = atMs.map((ms) => {
    const { size = 1, early = 0, ratio = 1 } = daily[Math.floor((ms - mondayMs) / dayMs)] ?? {};
    const hour = ((ms - mondayMs) % dayMs) / 3_600_000;
    const shape = ratio * bump(hour, first + early, 2.2) + bump(hour, second + early, 2.6);
    return top * size * (low + (1 - low) * Math.min(1, shape)) * (0.98 + 0.04 * noise.uniform());
  });
  return { kind: "points", shape: "lines", atMs, perSecond };
}

function monthScenario(of: MonthOf, days: number): Scenario {
  const controller = { syncPeriodMs: periodMs, slipMs: 0, firstSyncMs: 5000, reactionMs: 200, options: {} };
  const start = { ...pod.start, ready: { kind: "fixed", ms: 20_000 } } as const;
  const own = workload({
    replicas: 6,
    load: monthLoad(of, days),
    pod: { ...pod, start },
    metrics: { load: { of: "offered", query: "rate", windowMs: 180_000 } },
    objective: { utilization: hotAbove / 200 },
    autoscaler: of.today,
  });
  const made = scenario({ startMs: mondayMs, durationMs: days * dayMs, controller }, [own]);
  return { ...made, scraping: { ...made.scraping, intervalMs: 60_000 } };
}

export function monthRequest(of: MonthOf, more: Partial<TuneRequest> = {}): TuneRequest {
  const recording = recordScenario(monthScenario(of, of.days));
  const read = inferLoad(recording, {
    autoscaler: of.today,
    rateMs: 180_000,
    scrapeMs: 60_000,
    loadModels: { load: "independent" },
  });
  if (!read.ok) throw new Error(read.message);
  return {
    recording,
    autoscaler: of.today,
    inferred: read.load,
    periodMs,
    seed: 1,
    timeZone: "UTC",
    candidates: 64,
    objective: { hotAbove },
    ...more,
  };
}

/** On the days after those that were recorded. */
export function afterwards(of: MonthOf, autoscaler: Autoscaler, days: number): WorkloadScores {
  const whole = monthScenario({ ...of, today: autoscaler }, of.days + days);
  const [own] = simulate(
    { ...whole, startMs: mondayMs + of.days * dayMs, durationMs: days * dayMs },
    { seriesPoints: 0 },
  ).workloads;
  if (own === undefined) throw new Error("there is no workload");
  return own.scores;
}

export const evaluateInOrder: EvaluateBatch = async ({ world, tasks }, report) => {
  for (const [index, task] of tasks.entries()) report(index, evaluateTask(world, task));
};

export interface Tuned {
  readonly progress: readonly Extract<TuneProgress, { readonly kind: "progress" }>[];
  readonly report?: TuneReport;
  readonly refusal?: TuneRefusal;
}

export async function tuned(request: TuneRequest, evaluate: EvaluateBatch = evaluateInOrder): Promise<Tuned> {
  const progress: Extract<TuneProgress, { readonly kind: "progress" }>[] = [];
  let end: Omit<Tuned, "progress"> = {};
  for await (const one of tune(request, evaluate)) {
    if (one.kind === "progress") progress.push(one);
    else end = one.kind === "report" ? { report: one.report } : { refusal: one.refusal };
  }
  return { progress, ...end };
}
