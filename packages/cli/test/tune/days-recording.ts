// A recording of whole days of an autoscaler on an External metric, decided every four minutes, so that days are cheap.
import { type Recording, recordingLines } from "@plimsoll/backtest";
import { dayMs } from "@plimsoll/core/internal/values";
import { type Load, readAutoscaler, type Scenario, simulate } from "@plimsoll/simulator";
import { pod, scenario, workload } from "@plimsoll/simulator/testing";

const startMs = Date.parse("2026-11-02T00:00:00Z");
const periodMs = 240_000;

/** An HPA on 60 messages for each pod. */
export function hpaOf(spec: object = {}): object {
  const target = { type: "AverageValue", averageValue: "60" };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "shop", namespace: "default" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
      minReplicas: 2,
      maxReplicas: 60,
      metrics: [{ type: "External", external: { metric: { name: "orders" }, target } }],
      ...spec,
    },
  };
}

/** So many days, each with a wave of load and noise. */
export function recordedDays(days: number, object: object = hpaOf()): Recording {
  const samples: Recording["metrics"][number]["samples"][number][] = [];
  const scale: Recording["scale"][number][] = [];
  const atMs: number[] = [];
  simulate(scenarioOf(days, object), {
    seriesPoints: 0,
    onSync({ atMs: nowMs, input, result: { decision } }) {
      atMs.push(nowMs);
      const [first] = input.samples;
      const values = first !== undefined && "values" in first ? first.values : [];
      samples.push({ atMs: nowMs, values: values.map(({ value }) => ({ value: numberOf(value) })) });
      const value = decision.scaleTo ?? (input.scale.ok ? input.scale.specReplicas : 0);
      if (scale.at(-1)?.value !== value) scale.push({ atMs: nowMs, earliestMs: nowMs, value });
    },
  });
  return {
    version: 1,
    target: { namespace: "default", kind: "Deployment", name: "shop" },
    span: { fromMs: startMs, toMs: startMs + days * dayMs },
    autoscaler: { object, changes: [] },
    syncs: { atMs, clock: "known" },
    pods: [],
    scale,
    metrics: [{ index: 0, level: "series", samples, gaps: [] }],
    status: [],
  };
}

export function textOf(recording: Recording): string {
  return [...recordingLines(recording)].join("");
}

function numberOf(quantity: string): number {
  return Number.parseFloat(quantity) * (quantity.endsWith("m") ? 0.001 : 1);
}

function scenarioOf(days: number, object: object): Scenario {
  const read = readAutoscaler(object);
  if (!read.ok) throw new Error(read.message);
  const load: Load = {
    kind: "noise",
    of: { kind: "sine", mean: 900, amplitude: 600, periodMs: dayMs, peakAtMs: startMs + dayMs / 2 },
    deviation: 0.03,
    memoryMs: 1_800_000,
  };
  const own = workload({
    replicas: 6,
    load,
    pod: {
      ...pod,
      requests: {},
      serviceTimeMs: 1,
      concurrency: 1,
      cpuPerRequest: 0,
      memory: { ...pod.memory, base: 0 },
      start: { ...pod.start, ready: { kind: "fixed", ms: 20_000 } },
      terminationMs: 30_000,
    },
    metrics: { orders: { of: "offered", query: "rate", windowMs: 300_000 } },
    objective: { utilization: 0.4 },
    autoscaler: read.autoscaler,
  });
  const { controller, scraping, ...made } = scenario({ startMs, durationMs: days * dayMs, seed: 7 }, [own]);
  return {
    ...made,
    controller: { ...controller, syncPeriodMs: periodMs },
    scraping: { ...scraping, intervalMs: 60_000, resourceIntervalMs: periodMs },
  };
}
