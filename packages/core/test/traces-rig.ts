// Evaluations of workloads in which every kind of pod occurs.
import type { DecideInput, MetricSpec, Pod } from "../src/index.ts";
import { externalInput, hpaOf, nowMs, readyPod } from "./fixtures.ts";

/** Started a minute ago, and not ready since. */
const starting: Pod["status"] = {
  phase: "Running",
  startTime: "2026-01-01T11:59:00Z",
  conditions: [{ type: "Ready", status: "False", lastTransitionTime: "2026-01-01T11:59:00Z" }],
};

/** Two that count, one of them with two containers; one without a sample, one that starts, and two that end. */
export const mixedPods: readonly Pod[] = [
  readyPod("plain"),
  {
    ...readyPod("two"),
    spec: {
      containers: [
        { name: "app", resources: { requests: { cpu: "1" } } },
        { name: "proxy", resources: { requests: { cpu: "500m" } } },
      ],
    },
  },
  readyPod("silent"),
  { ...readyPod("starting"), status: starting },
  { ...readyPod("leaving"), metadata: { name: "leaving", deletionTimestamp: "2026-01-01T11:59:30Z" } },
  { ...readyPod("failed"), status: { phase: "Failed" } },
];

const timestamp = "2026-01-01T11:59:45Z";
const sampled = { timestamp, windowSeconds: 30 };

/** Samples of cpu by pod and container. */
export function cpuOf(usage: Readonly<Record<string, Readonly<Record<string, string>>>>) {
  return {
    pods: Object.entries(usage).map(([name, cpus]) => ({
      name,
      ...sampled,
      containers: Object.fromEntries(Object.entries(cpus).map(([container, cpu]) => [container, { cpu }])),
    })),
  };
}

export function valuesOf(values: Readonly<Record<string, string>>) {
  return { pods: Object.entries(values).map(([name, value]) => ({ name, timestamp, value })) };
}

/** An evaluation of these pods by one metric. */
export function mixedInput(
  metric: MetricSpec,
  samples: DecideInput["samples"][number],
  replicas: number,
  more: Partial<DecideInput> = {},
): DecideInput {
  return externalInput("", replicas, {
    hpa: hpaOf({ metrics: [metric] }),
    pods: { ok: true, pods: mixedPods },
    samples: [samples],
    ...more,
  });
}

/** Long ago, so that no window counts it. */
export const settled = {
  recommendations: [{ replicas: 1, atMs: nowMs - 900_000 }],
  scaleUpEvents: [],
  scaleDownEvents: [],
};
