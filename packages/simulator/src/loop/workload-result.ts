// What became of a workload, out of its parts at the end of a run.
import type { Series } from "../score/series.ts";
import type { SimulatedWorkload } from "./result.ts";
import type { WorkloadParts } from "./workload-parts.ts";

const usualQuantile = 0.95;

/** Reads the parts; the requests are at the end of the run. */
export function workloadResult(parts: WorkloadParts, startMs: number): SimulatedWorkload {
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
