// A run: the workloads of a scenario, from event to event.
import { longestWindowMs } from "../measure/samples.ts";
import { createNodes, needOf } from "../plant/nodes.ts";
import type { SimulatedRun, SimulateOptions } from "./result.ts";
import type { Scenario } from "./scenario.ts";
import { createWorkloadRun, type WorkloadRun } from "./workload-run.ts";

const seriesPoints = 1440;
/** Between two looks at the signal. */
const stepsPerLook = 4096;

/**
 * What autoscalers would do in this scenario. Before its start the load runs for as long as the queries look back, so
 * that metrics have values from the first sync on; nothing of that time counts. Throws only what the signal throws.
 */
export function simulate(scenario: Scenario, options: SimulateOptions = {}): SimulatedRun {
  const { startMs, durationMs, seed } = scenario;
  const warmUpMs = Math.max(0, ...scenario.workloads.map((workload) => longestWindowMs(workload, scenario)));
  const pool = scenario.nodes === undefined ? undefined : createNodes(scenario.nodes, seed);
  const runs = scenario.workloads.map((workload, index) =>
    createWorkloadRun({
      scenario,
      index,
      workload,
      nodes:
        pool === undefined || scenario.nodes === undefined
          ? undefined
          : { pool, need: needOf(workload.pod, scenario.nodes) },
      warmUpMs,
      seriesPoints: options.seriesPoints ?? seriesPoints,
      onSync: options.onSync,
    }),
  );
  let nodeSeconds = 0;
  let lastMs = startMs;
  /** Moves to the instant at which the nodes change, or are about to. */
  const nodesUntil = (atMs: number): void => {
    if (pool === undefined || atMs <= lastMs) return;
    nodeSeconds += (pool.count * (atMs - lastMs)) / 1000;
    lastMs = atMs;
  };
  const runUntil = (endMs: number): void => {
    for (let step = 0; ; step++) {
      if (step % stepsPerLook === 0) options.signal?.throwIfAborted();
      const next = earliest(runs);
      const poolMs = pool?.nextMs ?? Infinity;
      const atMs = Math.min(next?.nextMs ?? Infinity, poolMs);
      if (!(atMs < endMs)) return;
      nodesUntil(atMs);
      if (poolMs <= atMs) {
        for (const run of runs) run.advance(atMs);
        pool?.step(atMs);
      } else next?.step();
    }
  };
  runUntil(startMs);
  for (const run of runs) run.begin();
  const endMs = startMs + durationMs;
  runUntil(endMs);
  nodesUntil(endMs);
  return {
    workloads: runs.map((run) => run.finish()),
    syncs: runs.reduce((sum, { syncs }) => sum + syncs, 0),
    ...(pool === undefined ? {} : { nodeHours: nodeSeconds / 3600 }),
  };
}

function earliest(runs: readonly WorkloadRun[]): WorkloadRun | undefined {
  let found: WorkloadRun | undefined;
  let foundMs = Infinity;
  for (const run of runs) {
    const { nextMs } = run;
    if (nextMs < foundMs) [found, foundMs] = [run, nextMs];
  }
  return found;
}
