// A run: the workloads of a scenario, from event to event.
import { maxWindowMs } from "../measure/samples.ts";
import { createNodes, type Nodes, needOf } from "../plant/nodes.ts";
import { randomStream } from "../random/stream.ts";
import type { Scenario, Workload } from "../scenario.ts";
import type { SimulatedRun, SimulatedWorkload } from "../score/scores.ts";
import type { Series } from "../score/series.ts";
import { createWorkloadParts, type WorkloadParts } from "./workload-parts.ts";
import { createWorkloadRun, type SyncView, type WorkloadRun } from "./workload-run.ts";

/** How a run is made; none of it changes what happens in it. */
export interface SimulateOptions {
  /** Called in the order of time for each workload; for several of them only where they share nodes. */
  readonly onSync?: (sync: SyncView) => void;
  /** Buckets of the series: 0 keeps none; 1,440 when absent. */
  readonly seriesPoints?: number;
  /** Throws its reason between two syncs. */
  readonly signal?: { throwIfAborted(): void };
}

const usualSeriesPoints = 1440;
/** Between two looks at the signal. */
const stepsPerLook = 4096;

/**
 * What autoscalers would do in this scenario. Before its start the load runs for as long as the queries look back, so
 * that metrics have values from the first sync on; nothing of that time counts. Throws only what the signal throws.
 */
export function simulate(scenario: Scenario, options: SimulateOptions = {}): SimulatedRun {
  const { startMs, durationMs, seed } = scenario;
  const endMs = startMs + durationMs;
  const warmUpMs = Math.max(0, ...scenario.workloads.map((workload) => maxWindowMs(workload, scenario)));
  const pool = scenario.nodes === undefined ? undefined : createNodes(scenario.nodes, seed);
  const runs = scenario.workloads.map((workload, index) =>
    runOf(scenario, workload, { index, pool, fromMs: startMs - warmUpMs, options }),
  );
  let nodeSeconds = 0;
  let countedMs = startMs;
  const countNodes = (atMs: number): void => {
    if (pool === undefined || atMs <= countedMs) return;
    nodeSeconds += (pool.count * (atMs - countedMs)) / 1000;
    countedMs = atMs;
  };
  const runUntil = (some: readonly WorkloadRun[], untilMs: number): void => {
    for (let step = 0; ; step++) {
      if (step % stepsPerLook === 0) options.signal?.throwIfAborted();
      const next = earliest(some);
      const poolMs = pool?.nextMs ?? Infinity;
      const atMs = Math.min(next.atMs, poolMs);
      if (!(atMs < untilMs)) return;
      countNodes(atMs);
      if (poolMs <= atMs) pool?.step(atMs);
      else next.run?.step(atMs);
    }
  };
  // Only nodes connect workloads: without them, each is run to its end.
  for (const some of pool === undefined ? runs.map((run) => [run]) : [runs]) {
    runUntil(some, startMs);
    for (const run of some) run.begin();
    runUntil(some, endMs);
    for (const run of some) run.advance(endMs);
  }
  countNodes(endMs);
  return {
    workloads: runs.map(({ parts }) => workloadResult(parts, startMs)),
    syncs: runs.reduce((sum, { syncs }) => sum + syncs, 0),
    ...(pool === undefined ? {} : { nodeHours: nodeSeconds / 3600 }),
  };
}

interface RunParts {
  readonly index: number;
  readonly pool: Nodes | undefined;
  readonly fromMs: number;
  readonly options: SimulateOptions;
}

function runOf(
  scenario: Scenario,
  workload: Workload,
  { index, pool, fromMs, options }: RunParts,
): WorkloadRun {
  const { startMs, durationMs, seed, controller, nodes } = scenario;
  const { firstSyncMs, syncPeriodMs, slipMs, reactionMs } = controller;
  const phaseMs = firstSyncMs ?? randomStream(seed, `${workload.name}/sync`).uniform() * syncPeriodMs;
  const parts = createWorkloadParts(scenario, workload, {
    fromMs,
    nodes:
      pool === undefined || nodes === undefined ? undefined : { pool, need: needOf(workload.pod, nodes) },
    seriesPoints: options.seriesPoints ?? usualSeriesPoints,
    advance: (atMs) => run.advance(atMs),
  });
  const run = createWorkloadRun(parts, {
    index,
    startMs,
    endMs: startMs + durationMs,
    firstSyncMs: startMs + phaseMs,
    slipMs,
    reactionMs,
    onSync: options.onSync,
  });
  return run;
}

/** Overwritten by each search, of which there are many. */
const found: { run: WorkloadRun | undefined; atMs: number } = { run: undefined, atMs: Infinity };

function earliest(runs: readonly WorkloadRun[]): Readonly<typeof found> {
  found.run = undefined;
  found.atMs = Infinity;
  for (const run of runs) {
    const atMs = run.nextMs();
    if (atMs >= found.atMs) continue;
    found.run = run;
    found.atMs = atMs;
  }
  return found;
}

const usualQuantile = 0.95;

/** Reads the parts; the requests are at the end of the run. */
function workloadResult(parts: WorkloadParts, startMs: number): SimulatedWorkload {
  const { workload, meter, pods, changes, moving, time, series } = parts;
  const { offered, served, lost, backlogMax } = meter;
  return {
    namespace: workload.namespace,
    name: workload.name,
    scores: {
      offered,
      served,
      lost,
      backlog: moving.flow.queue.backlog,
      backlogMax,
      idealPodHours: meter.idealSeconds / 3600,
      shortPodSeconds: meter.shortSeconds,
      hotSeconds: meter.hotSeconds,
      transientSeconds: meter.transientSeconds,
      ...time.read(),
      events: changes.all.length,
      reversals: changes.reversals,
      replicasMax: changes.all.reduce((max, { to }) => Math.max(max, to), workload.replicas),
      podsStarted: pods.created,
      crashes: pods.crashes,
      latencyMs: meter.latency.quantile(workload.objective.latency?.quantile ?? usualQuantile),
    },
    changes: changes.all,
    series: series?.read() ?? emptySeries(startMs),
  };
}

function emptySeries(startMs: number): Series {
  const none: readonly number[] = [];
  const columns = {
    load: none,
    capacity: none,
    ready: none,
    desired: none,
    hot: none,
    short: none,
    backlog: none,
  };
  return { startMs, bucketMs: 0, ...columns };
}
