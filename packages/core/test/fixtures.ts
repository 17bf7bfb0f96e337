import type { DecideInput, Decision, HorizontalPodAutoscaler, MetricSpec, Pod } from "../src/index.ts";

export const nowMs = Date.parse("2026-01-01T12:00:00Z");

/** A pod that has been running and ready for hours, with one container of 1000m cpu unless stated otherwise. */
export function readyPod(name: string, request = "1000m"): Pod {
  return {
    metadata: { name },
    spec: { containers: [{ name: "app", resources: { requests: { cpu: request, memory: "1Gi" } } }] },
    status: {
      phase: "Running",
      startTime: "2026-01-01T06:00:00Z",
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-01-01T06:00:30Z" }],
    },
  };
}

export function readyPods(count: number, request?: string): readonly Pod[] {
  return Array.from({ length: count }, (_, i) => readyPod(`pod-${i}`, request));
}

export function cpuSamples(usage: readonly string[]) {
  return {
    pods: usage.map((cpu, i) => ({
      name: `pod-${i}`,
      timestamp: "2026-01-01T11:59:45Z",
      windowSeconds: 30,
      containers: { app: { cpu } },
    })),
  };
}

export function podsSamples(values: readonly string[]) {
  return { pods: values.map((value, i) => ({ name: `pod-${i}`, timestamp: "2026-01-01T11:59:45Z", value })) };
}

export function cpuUtilization(averageUtilization: number): MetricSpec {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

export function externalAverage(averageValue: string, name = "queue"): MetricSpec {
  return { type: "External", external: { metric: { name }, target: { type: "AverageValue", averageValue } } };
}

export function podsMetric(averageValue: string): MetricSpec {
  return {
    type: "Pods",
    pods: { metric: { name: "packets" }, target: { type: "AverageValue", averageValue } },
  };
}

export function hpaOf(spec: Partial<HorizontalPodAutoscaler["spec"]>): HorizontalPodAutoscaler {
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "shop", generation: 3 },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [externalAverage("10")],
      ...spec,
    },
  };
}

/** An evaluation of one External metric with the given total. */
export function externalInput(total: string, replicas: number, more: Partial<DecideInput> = {}): DecideInput {
  return {
    nowMs,
    hpa: hpaOf({}),
    scale: { ok: true, specReplicas: replicas, statusReplicas: replicas, selector: "app=web" },
    pods: { ok: true, pods: [] },
    samples: [{ values: [{ value: total }] }],
    ...more,
  };
}

export function condition({ status }: Decision, type: string) {
  return status.conditions.find((one) => one.type === type);
}
