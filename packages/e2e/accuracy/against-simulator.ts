// The simulator on what the stack had: how often both have the same replicas, within a period and a pod.
import { type MetricMeaning, readAutoscaler, type Scenario, simulate } from "@plimsoll/simulator";
import {
  container,
  cpuPerRequest,
  kubelet,
  type StackRequest,
  type StackRun,
  syncPeriodMs,
  target,
} from "./stack.ts";

/** What the names of metrics mean to the simulator; what each of the storm's rules queries. */
export const meanings: Readonly<Record<string, MetricMeaning>> = {
  http_requests_per_second: { of: "requests", query: "rate", windowMs: 60_000 },
  ingress_requests_per_second: { of: "offered", query: "rate", windowMs: 120_000 },
};

/** A count that is given from an instant on, in time. */
export type Steps = readonly { readonly atMs: number; readonly value: number }[];

/** The replicas that the simulator gives the target. */
export function simulatedScale(
  run: StackRun,
  { seed, replicas, hpa, load, scrapeMs = 15_000 }: StackRequest,
): Steps {
  const { startMs, endMs, decisions } = run;
  const durationMs = endMs - startMs;
  const atMs = load.map((point) => startMs + point.atMs);
  const perSecond = load.map(({ value }) => value);
  const read = readAutoscaler(hpa);
  if (!read.ok) throw new Error(read.message);
  const fixed = (ms: number) => ({ kind: "fixed", ms }) as const;
  const scenario: Scenario = {
    startMs,
    durationMs,
    seed,
    controller: {
      syncPeriodMs,
      slipMs: 0,
      firstSyncMs: (decisions[0]?.atMs ?? startMs) - startMs,
      reactionMs: 0,
      options: {},
    },
    scraping: {
      intervalMs: scrapeMs,
      failures: 0,
      cacheAgeMs: 0,
      promql: "3",
      lookbackMs: 300_000,
      resourceIntervalMs: 15_000,
    },
    workloads: [
      {
        ...target,
        replicas,
        load: { kind: "points", shape: "lines", atMs, perSecond },
        pod: {
          container: container.name,
          requests: { cpu: container.cpu },
          limits: {},
          // A pod of the stack serves all that comes.
          serviceTimeMs: 1,
          serviceVariation: 1,
          concurrency: 1e6,
          cpuPerRequest,
          idleCpu: 0,
          memory: { base: 0, perInFlight: 0, isReleased: true },
          balancing: "shared",
          start: {
            schedule: fixed(0),
            pull: fixed(kubelet.startDelayMs),
            ready: fixed(kubelet.readyDelayMs),
          },
          crashesPerHour: 0,
          terminationMs: kubelet.terminationMs,
          drainMs: 0,
        },
        metrics: meanings,
        // A queue has what its load says, whatever pods do.
        recorded: {
          queue_depth: { atMs, values: perSecond, isShared: false },
        },
        objective: { utilization: 0.85 },
        autoscaler: read.autoscaler,
      },
    ],
  };
  const [workload] = simulate(scenario, { seriesPoints: 0 }).workloads;
  return [
    { atMs: startMs, value: replicas },
    ...(workload?.changes ?? []).map(({ atMs, to }) => ({ atMs, value: to })),
  ];
}

/** The part of the seconds of a span in which a count is, within a period, at most one pod from the other. */
export function agreement(
  ours: Steps,
  theirs: Steps,
  span: { readonly fromMs: number; readonly toMs: number },
): number {
  let [agreed, seconds] = [0, 0];
  for (let atMs = span.fromMs; atMs < span.toMs; atMs += 1000) {
    const value = valueAt(theirs, atMs);
    seconds++;
    const near = [valueAt(ours, atMs - syncPeriodMs), ...changesIn(ours, atMs)];
    if (near.some((one) => Math.abs(one - value) <= 1)) agreed++;
  }
  return agreed / seconds;
}

/** What a count becomes within a period around an instant. */
function changesIn(steps: Steps, atMs: number): readonly number[] {
  return steps.filter((one) => Math.abs(one.atMs - atMs) <= syncPeriodMs).map(({ value }) => value);
}

export function valueAt(steps: Steps, atMs: number): number {
  return steps.findLast((one) => one.atMs <= atMs)?.value ?? steps[0]?.value ?? 0;
}

/** ∫ count over a span, in hours, and its highest value. */
export function areaOf(steps: Steps, { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }) {
  let [podMs, peak, lastMs, value] = [0, valueAt(steps, fromMs), fromMs, valueAt(steps, fromMs)];
  for (const one of steps) {
    if (one.atMs <= fromMs || one.atMs >= toMs) continue;
    podMs += value * (one.atMs - lastMs);
    [lastMs, value] = [one.atMs, one.value];
    peak = Math.max(peak, value);
  }
  return { podHours: (podMs + value * (toMs - lastMs)) / 3_600_000, peak };
}
