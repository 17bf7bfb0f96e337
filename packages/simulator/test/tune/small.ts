// A search that is made in a second: an external metric, a decision every four minutes.
import {
  type Autoscaler,
  type EvaluateBatch,
  evaluateTask,
  inferLoad,
  type Load,
  type Scenario,
  simulate,
  type TuneProgress,
  type TuneRefusal,
  type TuneReport,
  type TuneRequest,
  tune,
  type WorkloadScores,
} from "../../src/index.ts";
import { randomStream } from "../../src/random/stream.ts";
import { recordScenario } from "../recorder.ts";
import { externalMetric, hpa, pod, scenario, workload } from "../scenarios.ts";

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

export interface SmallOf {
  readonly today: Autoscaler;
  readonly days: number;
  readonly seed?: number;
  /** By the position of the day, times the usual load. */
  readonly factor?: (day: number) => number;
}

/** Two tops a day of about fifteen pods, and no day like another. */
function smallLoad({ seed = 1, factor = () => 1 }: SmallOf, days: number): Load {
  const stream = randomStream(seed, "small");
  const daily = Array.from({ length: days }, (_, day) => factor(day) * (0.94 + 0.12 * stream.uniform()));
  const perDay = dayMs / periodMs;
  const atMs = Array.from({ length: days * perDay }, (_, at) => mondayMs + at * periodMs);
  const perSecond = atMs.map((_, at) => {
    const hour = ((at % perDay) * periodMs) / 3_600_000;
    const shape = 0.3 + 0.7 * Math.sin((Math.PI * hour) / 24) ** 2 + 0.1 * Math.sin((2 * Math.PI * hour) / 6);
    return 900 * shape * (daily[Math.floor(at / perDay)] ?? 1) * (0.98 + 0.04 * stream.uniform());
  });
  return { kind: "points", shape: "lines", atMs, perSecond };
}

function smallScenario(of: SmallOf, days: number): Scenario {
  const controller = { syncPeriodMs: periodMs, slipMs: 0, firstSyncMs: 5000, reactionMs: 200, options: {} };
  const start = { ...pod.start, ready: { kind: "fixed", ms: 20_000 } } as const;
  const own = workload({
    replicas: 6,
    load: smallLoad(of, days),
    pod: { ...pod, start },
    metrics: { load: { of: "offered", query: "rate", windowMs: 180_000 } },
    objective: { utilization: hotAbove / 200 },
    autoscaler: of.today,
  });
  const made = scenario({ startMs: mondayMs, durationMs: days * dayMs, controller }, [own]);
  return { ...made, scraping: { ...made.scraping, intervalMs: 60_000 } };
}

export function smallRequest(of: SmallOf, more: Partial<TuneRequest> = {}): TuneRequest {
  const recording = recordScenario(smallScenario(of, of.days));
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
export function afterwards(of: SmallOf, autoscaler: Autoscaler, days: number): WorkloadScores {
  const whole = smallScenario({ ...of, today: autoscaler }, of.days + days);
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
