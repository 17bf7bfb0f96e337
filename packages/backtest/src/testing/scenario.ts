// For tests: the autoscaler of the made-up day, its workload and its controller.
import type { Scenario, Workload } from "@plimsoll/simulator";
import { pod, scenario, workload as workloadWith } from "@plimsoll/simulator/testing";

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

export const workload: Workload = workloadWith({
  load: { kind: "constant", perSecond: 0 },
  pod: { ...pod, start: { ...pod.start, ready: { kind: "fixed", ms: readyAfterMs } } },
  replicas: 4,
  metrics: { load: { of: "requests", query: "rate", windowMs: 60_000 } },
  autoscaler: { hpa },
});

export const base: Omit<Scenario, "durationMs" | "workloads"> = scenario(
  {
    startMs: fromMs,
    seed: 7,
    controller: { syncPeriodMs: 15_000, slipMs: 20, firstSyncMs: 2500, reactionMs: 200, options: {} },
  },
  [],
);
