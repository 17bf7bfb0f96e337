// Autoscalers with pods and samples to decide on.
import type { DecideInput, MetricSamples, MetricSpec, Pod } from "@plimsoll/core";

export const nowMs = Date.parse("2026-01-01T12:00:00Z");

const metrics = {
  utilization: {
    type: "Resource",
    resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } },
  },
  average: {
    type: "Resource",
    resource: { name: "cpu", target: { type: "AverageValue", averageValue: "300m" } },
  },
  pods: {
    type: "Pods",
    pods: { metric: { name: "packets" }, target: { type: "AverageValue", averageValue: "300m" } },
  },
  external: {
    type: "External",
    external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "300m" } },
  },
} as const satisfies Readonly<Record<string, MetricSpec>>;

export type MetricKind = keyof typeof metrics;

export interface PodWorkload extends DecideInput {
  readonly pods: { readonly ok: true; readonly pods: readonly Pod[] };
}

/** As many HPAs as make `totalPods` pods, each with its own objects, so that a pass does not live in a cache. */
export function makeWorkloads(podsEach: number, totalPods: number, kind: MetricKind): readonly PodWorkload[] {
  const count = Math.max(1, Math.round(totalPods / podsEach));
  return Array.from({ length: count }, (_, i) => makeWorkload(i, podsEach, kind));
}

function makeWorkload(index: number, podCount: number, kind: MetricKind): PodWorkload {
  const name = `workload-${index}`;
  const workload = {
    nowMs,
    hpa: {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name, namespace: "bench", generation: 1, uid: `0000-${index}` },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
        minReplicas: 1,
        maxReplicas: 100_000,
        metrics: [metrics[kind]],
      },
    },
    scale: { ok: true, specReplicas: podCount, statusReplicas: podCount, selector: `app=${name}` },
    pods: { ok: true, pods: Array.from({ length: podCount }, (_, i) => makePod(`${name}-${i}`)) },
    samples: [makeSamples(name, podCount, kind)],
  };
  // Through JSON, because that is where a controller's objects come from.
  return JSON.parse(JSON.stringify(workload)) as PodWorkload;
}

function makePod(name: string): Pod {
  const since = "2026-01-01T06:00:10Z";
  const conditions = ["Initialized", "Ready", "ContainersReady", "PodScheduled"];
  return {
    metadata: { name, namespace: "bench", labels: { app: "workload" } },
    spec: { containers: [{ name: "app", resources: { requests: { cpu: "500m", memory: "512Mi" } } }] },
    status: {
      phase: "Running",
      startTime: "2026-01-01T06:00:00Z",
      conditions: conditions.map((type) => ({ type, status: "True", lastTransitionTime: since })),
    },
  };
}

function makeSamples(name: string, podCount: number, kind: MetricKind): MetricSamples {
  const timestamp = "2026-01-01T11:59:45Z";
  if (kind === "external") return { values: [{ value: `${podCount * 330}m`, timestamp }] };
  const pods = Array.from({ length: podCount }, (_, i) => {
    const usage = `${250 + ((i * 37) % 160)}m`;
    const sample = { name: `${name}-${i}`, timestamp, windowSeconds: 30 };
    if (kind === "pods") return { ...sample, value: usage };
    return { ...sample, containers: { app: { cpu: usage, memory: "300Mi" } } };
  });
  return { pods };
}
