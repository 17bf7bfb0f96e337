// For tests: scenarios of one workload, with what a test is about changed, and the parts that run them step by step.
import type { Autoscaler, Load, PodModel, Scenario, Workload } from "../index.ts";

export { loadCursor } from "../load/cursor.ts";
export { createWorkloadParts } from "../loop/workload-parts.ts";
export { createWorkloadRun } from "../loop/workload-run.ts";
export { maxWindowMs } from "../measure/samples.ts";
export { type SimulatedPod } from "../plant/pod.ts";

export const startMs = Date.parse("2026-11-27T00:00:00Z");

/** A pod of eight slots of 40 ms: 200 requests per second. */
export const pod: PodModel = {
  container: "app",
  requests: { cpu: 0.5 },
  limits: {},
  serviceTimeMs: 40,
  serviceVariation: 1,
  concurrency: 8,
  cpuPerRequest: 0.006,
  idleCpu: 0,
  memory: { base: 100 * 2 ** 20, perInFlight: 0, isReleased: true },
  balancing: "shared",
  start: {
    schedule: { kind: "fixed", ms: 0 },
    pull: { kind: "fixed", ms: 0 },
    ready: { kind: "fixed", ms: 0 },
  },
  crashesPerHour: 0,
  terminationMs: 0,
  drainMs: 0,
};

export function constant(perSecond: number): Load {
  return { kind: "constant", perSecond };
}

/** Values from these seconds after the start on. */
export function steps(...points: readonly (readonly [second: number, perSecond: number])[]): Load {
  return {
    kind: "points",
    shape: "steps",
    atMs: points.map(([second]) => startMs + second * 1000),
    perSecond: points.map(([, perSecond]) => perSecond),
  };
}

/** A HorizontalPodAutoscaler of the workload "shop". */
export function hpa(spec: Partial<Autoscaler["hpa"]["spec"]>): Autoscaler {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "shop" };
  return {
    hpa: {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "shop", namespace: "default" },
      spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 100, ...spec },
    },
  };
}

/** A metric of each pod with a target for its average. */
export function podsMetric(name: string, averageValue: string) {
  return { type: "Pods", pods: { metric: { name }, target: { type: "AverageValue", averageValue } } };
}

/** One value for all pods together. */
export function externalMetric(name: string, averageValue: string) {
  return { type: "External", external: { metric: { name }, target: { type: "AverageValue", averageValue } } };
}

export function workload(of: Partial<Workload>): Workload {
  return {
    namespace: "default",
    name: "shop",
    kind: "Deployment",
    replicas: 1,
    load: constant(100),
    pod,
    metrics: { http_requests_per_second: { of: "requests", query: "rate", windowMs: 60_000 } },
    objective: { utilization: 0.85 },
    ...of,
  };
}

export function scenario(of: Partial<Scenario>, workloads: readonly Workload[]): Scenario {
  return {
    startMs,
    durationMs: 1_800_000,
    seed: 1,
    controller: { syncPeriodMs: 15_000, slipMs: 0, firstSyncMs: 5000, reactionMs: 200, options: {} },
    scraping: {
      intervalMs: 15_000,
      failures: 0,
      cacheAgeMs: 0,
      promql: "3",
      lookbackMs: 300_000,
      resourceIntervalMs: 15_000,
    },
    workloads,
    ...of,
  };
}
