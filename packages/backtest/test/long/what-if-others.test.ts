// The counterfactual of what is not conserved: idle cpu, several metrics, Object and External metrics.
import type { MetricSpec } from "@plimsoll/core";
import { type Autoscaler, type Scenario, simulate } from "@plimsoll/simulator";
import { externalMetric, hpa, podsMetric, startMs } from "@plimsoll/simulator/testing";
import { expect, test } from "vitest";
import type { InferOptions } from "../../src/index.ts";
import { desiredArea } from "../../src/infer/counterfactual.ts";
import { inferLoad } from "../../src/infer/load.ts";
import { createCounterfactual } from "../../src/infer/what-if.ts";
import { recordScenario } from "../../src/testing/recorder.ts";
import { cpuMetric, type DayOptions, recordedDay } from "../infer/recorded-day.ts";
import { whatIfOf } from "../infer/run-plan.ts";

function of(...metrics: readonly MetricSpec[]): Autoscaler {
  return hpa({ metrics: [...metrics], minReplicas: 2, maxReplicas: 60 });
}

function cpu(percent: number): MetricSpec {
  const { resource } = cpuMetric;
  return {
    type: "Resource",
    resource: { ...resource, target: { ...resource.target, averageUtilization: percent } },
  };
}

function withMeaning(day: Scenario, name: string, meaning: object, pod: object = {}): Scenario {
  const workloads = day.workloads.map((one) => ({
    ...one,
    pod: { ...one.pod, ...pod },
    metrics: { ...one.metrics, [name]: meaning as never },
  }));
  return { ...day, workloads };
}

interface Case {
  readonly own: Autoscaler;
  readonly other: Autoscaler;
  readonly day?: DayOptions;
  readonly made?: (day: Scenario) => Scenario;
  readonly loadModels?: InferOptions["loadModels"];
}

const offered = { of: "offered", query: "rate", windowMs: 60_000 };
const backlog = { of: "backlog", query: "value", windowMs: 0 };

function compared({ own, other, day = {}, made = (one) => one, loadModels = {} }: Case) {
  const recording = recordScenario(made(recordedDay(own, { rateMs: 60_000, ...day })));
  const read = inferLoad(recording, { autoscaler: own, rateMs: 60_000, scrapeMs: 15_000, loadModels });
  if (!read.ok) throw new Error(read.message);
  const inferred = read.load;
  const options = { periodMs: 15_000, seed: 1 };
  const result = createCounterfactual(recording, { autoscaler: own, inferred }, options);
  const truth = truthOf(made(recordedDay(other, { rateMs: 60_000, ...day })));
  const { control, unknowns } = result;
  return { inferred, control, unknowns, whatIf: whatIfOf(result, other), truth };
}

test("idle cpu that changes of the count do not show is a range, in which the truth is", () => {
  const { inferred, control, unknowns, whatIf, truth } = compared({
    own: of(cpu(70)),
    other: of(cpu(85)),
    day: { idleCpu: 0.1 },
  });
  expect(Math.abs(control.podHoursError)).toBeLessThan(0.03);
  expect(inferred.overhead?.idle).toBeUndefined();
  expect(inferred.overhead?.max).toBeGreaterThan(0.1);
  expect(unknowns.map(({ kind }) => kind)).toContain("idle");
  expect(whatIf.scores.podHours).toBeGreaterThan(truth.podHours);
  expect(whatIf.atMaxIdle?.scores.podHours).toBeLessThan(truth.podHours);
});

test("cpu beside requests has its idle part and its part of each request", () => {
  const own = of(podsMetric("http_requests_per_second", "60"), cpu(70));
  const { inferred, whatIf, truth } = compared({ own, other: of(cpu(85)), day: { idleCpu: 0.05 } });
  expect(inferred.cpu?.idle).toBeCloseTo(0.05, 1.5);
  expect(Math.abs((inferred.cpu?.perRequest ?? 0) / 0.006 - 1)).toBeLessThan(0.05);
  expect(Math.abs(whatIf.scores.podHours / truth.podHours - 1)).toBeLessThan(0.01);
});

test("an independent metric is read as it was recorded", () => {
  const { control, whatIf, truth } = compared({
    own: of(externalMetric("ingress", "60")),
    other: of(externalMetric("ingress", "75")),
    made: (day) => withMeaning(day, "ingress", offered),
    loadModels: { ingress: "independent" },
  });
  expect(control.podHoursError).toBe(0);
  expect(whatIf.scores).toMatchObject(truth);
});

test("a conserved metric is shared by the pods that are Ready", () => {
  const { inferred, control, whatIf } = compared({
    own: of(externalMetric("share", "60")),
    other: of(externalMetric("share", "120")),
    made: (day) => withMeaning(day, "share", offered),
    loadModels: { share: "conserved" },
  });
  expect(inferred.totals).toMatchObject({ share: { isShared: true } });
  expect(control.recorded.podHours).toBeGreaterThan(0);
  expect(whatIf.scores.podHours).toBeLessThan(control.recorded.podHours);
});

test("a backlog is what arrives less what the pods take out of it", () => {
  const { inferred, control, whatIf, truth } = compared({
    own: of(externalMetric("queue", "30")),
    other: of(externalMetric("queue", "60")),
    made: (day) => withMeaning(day, "queue", backlog, { serviceTimeMs: 100 }),
    loadModels: { queue: "backlog" },
  });
  expect(inferred.capacity).toBeGreaterThan(0);
  expect(Math.abs(control.podHoursError)).toBeLessThan(0.03);
  expect(Math.abs(whatIf.scores.podHours / truth.podHours - 1)).toBeLessThan(0.03);
});

test.each([
  [
    "a metric without a model",
    {},
    "set how it depends on the pods with --load-model ingress=independent, conserved, or backlog",
  ],
  [
    "a queue that never drains",
    { ingress: "backlog" as const },
    "ingress drains too rarely to infer what a pod processes: record a longer time, or set --load-model ingress=independent",
  ],
])("%s is refused", (_, loadModels, message) => {
  const own = of(externalMetric("ingress", "60"));
  const recording = recordScenario(
    withMeaning(recordedDay(own, { hours: 1 }), "ingress", { ...offered, of: "backlog", query: "value" }),
  );
  const read = inferLoad(recording, { autoscaler: own, rateMs: 60_000, scrapeMs: 15_000, loadModels });
  expect(read).toMatchObject({ ok: false, message: expect.stringContaining(message) });
});

test("status alone, with pods: averages of all of them", () => {
  const own = of(podsMetric("http_requests_per_second", "60"));
  const recording = recordScenario(recordedDay(own, { rateMs: 60_000 }));
  const metrics = recording.metrics.map((metric) => ({ ...metric, level: "status" as const, samples: [] }));
  const read = inferLoad({ ...recording, metrics }, { autoscaler: own, rateMs: 60_000, scrapeMs: 15_000 });
  if (!read.ok) throw new Error(read.message);
  const made = createCounterfactual(
    { ...recording, metrics },
    { autoscaler: own, inferred: read.load },
    { periodMs: 15_000, seed: 1 },
  );
  expect(made.unknowns.map(({ kind }) => kind)).toContain("skew");
  expect(Math.abs(made.control.podHoursError)).toBeLessThan(0.03);
});

function truthOf(truth: Scenario): { readonly podHours: number; readonly peak: number } {
  const changes = simulate(truth, { seriesPoints: 0 }).workloads[0]?.changes ?? [];
  const span = { fromMs: startMs, toMs: startMs + truth.durationMs };
  const { podMs, peak } = desiredArea(changes, span, truth.workloads[0]?.replicas ?? 0);
  return { podHours: podMs / 3_600_000, peak };
}
