// The simulator on what the stack had: how often both have the same replicas, within a period and a pod.
import {
  type MetricMeaning,
  type PodModel,
  readAutoscaler,
  type Scenario,
  simulate,
} from "@plimsoll/simulator";
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
const meanings: Readonly<Record<string, MetricMeaning>> = {
  http_requests_per_second: { of: "requests", query: "rate", windowMs: 60_000 },
  ingress_requests_per_second: { of: "offered", query: "rate", windowMs: 120_000 },
};

/** A count that is given from an instant on, in time. */
export type Steps = readonly { readonly atMs: number; readonly value: number }[];

/** The replicas that the simulator gives the target. */
export function simulatedScale(run: StackRun, request: StackRequest): Steps {
  const { startMs } = run;
  const [workload] = simulate(scenarioOf(run, request), { seriesPoints: 0 }).workloads;
  return [
    { atMs: startMs, value: request.replicas },
    ...(workload?.changes ?? []).map(({ atMs, to }) => ({ atMs, value: to })),
  ];
}

function scenarioOf({ startMs, endMs, decisions }: StackRun, request: StackRequest): Scenario {
  const { seed, scrapeMs = 15_000 } = request;
  const firstMs = decisions[0]?.atMs ?? startMs;
  return {
    startMs,
    durationMs: endMs - startMs,
    seed,
    controller: { syncPeriodMs, slipMs: 0, firstSyncMs: firstMs - startMs, reactionMs: 0, options: {} },
    scraping: {
      intervalMs: scrapeMs,
      failures: 0,
      cacheAgeMs: 0,
      promql: "3",
      lookbackMs: 300_000,
      resourceIntervalMs: 15_000,
    },
    workloads: [workloadOf(startMs, request)],
  };
}

function workloadOf(startMs: number, { replicas, hpa, load }: StackRequest): Scenario["workloads"][number] {
  const read = readAutoscaler(hpa);
  if (!read.ok) throw new Error(read.message);
  const atMs = load.map((point) => startMs + point.atMs);
  const perSecond = load.map(({ value }) => value);
  return {
    ...target,
    replicas,
    load: { kind: "points", shape: "lines", atMs, perSecond },
    pod: podModel,
    metrics: meanings,
    // A queue has what its load says, whatever pods do.
    recorded: { queue_depth: { atMs, values: perSecond, isShared: false } },
    objective: { utilization: 0.85 },
    autoscaler: read.autoscaler,
  };
}

function fixed(ms: number): { readonly kind: "fixed"; readonly ms: number } {
  return { kind: "fixed", ms };
}

/** A pod of the stack serves all that comes. */
const podModel: PodModel = {
  container: container.name,
  requests: { cpu: container.cpu },
  limits: {},
  serviceTimeMs: 1,
  serviceVariation: 1,
  concurrency: 1e6,
  cpuPerRequest,
  idleCpu: 0,
  memory: { base: 0, perInFlight: 0, isReleased: true },
  balancing: "shared",
  start: { schedule: fixed(0), pull: fixed(kubelet.startDelayMs), ready: fixed(kubelet.readyDelayMs) },
  crashesPerHour: 0,
  terminationMs: kubelet.terminationMs,
  drainMs: 0,
};

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
