// For tests: the autoscaler of the made-up day, its workload and its controller.
import type { Scenario } from "@plimsoll/simulator";

export const fromMs = Date.parse("2026-11-06T00:00:00Z");
export const readyAfterMs = 20_000;

export const hpa = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "shop", namespace: "default" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
    minReplicas: 2,
    maxReplicas: 200,
    metrics: [
      {
        type: "Pods",
        pods: { metric: { name: "load" }, target: { type: "AverageValue", averageValue: "100" } },
      },
    ],
  },
};

const fixed = (ms: number) => ({ kind: "fixed" as const, ms });

export const workload: Scenario["workloads"][number] = {
  namespace: "default",
  name: "shop",
  load: { kind: "constant", perSecond: 0 },
  pod: {
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
    start: { schedule: fixed(0), pull: fixed(0), ready: fixed(readyAfterMs) },
    crashesPerHour: 0,
    terminationMs: 0,
    drainMs: 0,
  },
  kind: "Deployment",
  replicas: 4,
  metrics: { load: { of: "requests", query: "rate", windowMs: 60_000 } },
  objective: { utilization: 0.85 },
  autoscaler: { hpa },
};

export const base: Omit<Scenario, "durationMs" | "workloads"> = {
  startMs: fromMs,
  seed: 7,
  controller: { syncPeriodMs: 15_000, slipMs: 20, firstSyncMs: 2500, reactionMs: 200, options: {} },
  scraping: {
    intervalMs: 15_000,
    failures: 0,
    cacheAgeMs: 0,
    promql: "3",
    lookbackMs: 300_000,
    resourceIntervalMs: 15_000,
  },
};
