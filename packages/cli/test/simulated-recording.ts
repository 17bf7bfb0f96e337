// A recording of a simulated autoscaler on 60 requests per second for each pod, out of what its decisions read.
import type { RecordedPod, Recording } from "@plimsoll/backtest";
import { type DecideInput, instantMs, type Pod } from "@plimsoll/core";
import { hourMs } from "@plimsoll/core/internal/values";
import { type Load, readAutoscaler, type Scenario, simulate } from "@plimsoll/simulator";
import { pod, scenario, workload } from "@plimsoll/simulator/testing";

const startMs = Date.parse("2026-01-01T12:00:00Z");

export function hpaOf(averageValue: string, spec: object = {}): object {
  const target = { type: "AverageValue", averageValue };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "shop" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 2,
      maxReplicas: 60,
      metrics: [{ type: "Pods", pods: { metric: { name: "requests_per_second" }, target } }],
      ...spec,
    },
  };
}

type OwnPod = Omit<RecordedPod, "ready" | "deletedMs"> & {
  ready: RecordedPod["ready"];
  deletedMs?: number;
};

/** Three hours with a wave of load and noise. */
export function simulatedRecording(object: object = hpaOf("60")): Recording {
  const pods = new Map<string, OwnPod>();
  const samples: Recording["metrics"][number]["samples"][number][] = [];
  const scale: Recording["scale"][number][] = [];
  const atMs: number[] = [];
  simulate(scenarioOf(object), {
    seriesPoints: 0,
    onSync({ atMs: nowMs, input, result: { decision } }) {
      atMs.push(nowMs);
      watch(pods, input);
      const [first] = input.samples;
      const values = first !== undefined && "pods" in first ? first.pods : [];
      samples.push({
        atMs: nowMs,
        values: values.flatMap((one) =>
          "value" in one ? [{ pod: one.name, value: Number.parseFloat(one.value) * unitOf(one.value) }] : [],
        ),
      });
      const value = decision.scaleTo ?? (input.scale.ok ? input.scale.specReplicas : 0);
      if (scale.at(-1)?.value !== value) scale.push({ atMs: nowMs, earliestMs: nowMs, value });
    },
  });
  return {
    version: 1,
    target: { namespace: "shop", kind: "Deployment", name: "web" },
    span: { fromMs: startMs, toMs: startMs + 3 * hourMs },
    autoscaler: { object, changes: [] },
    syncs: { atMs, clock: "known" },
    pods: [...pods.values()],
    scale,
    metrics: [{ index: 0, level: "series", samples, gaps: [] }],
    status: [],
  };
}

function unitOf(quantity: string): number {
  return quantity.endsWith("m") ? 0.001 : 1;
}

function watch(pods: Map<string, OwnPod>, { pods: read }: DecideInput): void {
  for (const pod of read.ok ? read.pods : []) {
    const { name = "", deletionTimestamp = "" } = pod.metadata ?? {};
    const { startTime = "", conditions = [] } = pod.status ?? {};
    const startedMs = instantMs(startTime);
    if (startedMs === undefined) continue;
    const bare: OwnPod = {
      name,
      createdMs: startedMs,
      startedMs,
      ready: [],
      requests: {},
      uncertaintyMs: 1000,
    };
    const own = pods.get(name) ?? bare;
    pods.set(name, own);
    if (own.ready.length === 0) own.ready = readySpans(conditions);
    const deletedMs = instantMs(deletionTimestamp);
    if (deletedMs !== undefined) own.deletedMs ??= deletedMs;
  }
}

function readySpans(conditions: NonNullable<NonNullable<Pod["status"]>["conditions"]>): RecordedPod["ready"] {
  const ready = conditions.find(({ type, status }) => type === "Ready" && status === "True");
  const fromMs = instantMs(ready?.lastTransitionTime ?? "");
  return fromMs === undefined ? [] : [{ fromMs }];
}

function scenarioOf(object: object): Scenario {
  const read = readAutoscaler(object);
  if (!read.ok) throw new Error(read.message);
  const load: Load = {
    kind: "noise",
    of: { kind: "sine", mean: 900, amplitude: 600, periodMs: 3 * hourMs, peakAtMs: startMs + 1.5 * hourMs },
    deviation: 0.05,
    memoryMs: 20_000,
  };
  const own = workload({
    namespace: "shop",
    name: "web",
    replicas: 6,
    load,
    pod: {
      ...pod,
      requests: {},
      serviceTimeMs: 5,
      concurrency: 1,
      cpuPerRequest: 0,
      memory: { ...pod.memory, base: 0 },
      start: { ...pod.start, ready: { kind: "log-normal", medianMs: 20_000, p95Ms: 40_000 } },
      terminationMs: 30_000,
    },
    metrics: { requests_per_second: { of: "requests", query: "rate", windowMs: 60_000 } },
    objective: { utilization: 0.4 },
    autoscaler: read.autoscaler,
  });
  const made = scenario({ startMs, durationMs: 3 * hourMs, seed: 7 }, [own]);
  return { ...made, controller: { ...made.controller, slipMs: 20 } };
}
