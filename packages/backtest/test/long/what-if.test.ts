// What another specification would have done, out of a recording of the first: against the simulated truth.
import type { MetricSpec } from "@plimsoll/core";
import { type Autoscaler, type Scenario, simulate } from "@plimsoll/simulator";
import { hpa, podsMetric, startMs } from "@plimsoll/simulator/testing";
import { expect, test } from "vitest";
import { desiredArea } from "../../src/infer/counterfactual.ts";
import { inferLoad } from "../../src/infer/load.ts";
import { createCounterfactual } from "../../src/infer/what-if.ts";
import { recordScenario } from "../../src/testing/recorder.ts";
import { cpuMetric, recordedDay } from "../infer/recorded-day.ts";
import { whatIfOf } from "../infer/run-plan.ts";

function requests(target: string, spec: Partial<Autoscaler["hpa"]["spec"]> = {}): Autoscaler {
  return hpa({
    metrics: [podsMetric("http_requests_per_second", target)],
    minReplicas: 2,
    maxReplicas: 60,
    ...spec,
  });
}

function cpu(percent: number): Autoscaler {
  const { resource } = cpuMetric;
  const target = { ...resource.target, averageUtilization: percent };
  const metric: MetricSpec = { type: "Resource", resource: { ...resource, target } };
  return hpa({ metrics: [metric], minReplicas: 2, maxReplicas: 60 });
}

const quick = { behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } };

const own = { own: requests("60"), hotAbove: 80, peakBar: 0.05, bar: 0.01, scrapeMs: 15_000 };
const slow = { ...own, rateMs: 120_000, scrapeMs: 60_000, peakBar: 0.1, bar: 0.015 };
const ofCpu = { own: cpu(70), hotAbove: 0.5, rateMs: 30_000, scrapeMs: 15_000, peakBar: 0.05, bar: 0.01 };

// A rate over two minutes has lost the peaks of the noise.
test.each([
  { ...own, what: "target 75", other: requests("75"), rateMs: 30_000 },
  { ...own, what: "target 45", other: requests("45"), rateMs: 30_000 },
  { ...own, what: "a window of 60 s", other: requests("60", quick), rateMs: 30_000 },
  { ...own, what: "target 75, of a rate over 1 min", other: requests("75"), rateMs: 60_000 },
  { ...own, what: "target 45, of a rate over 1 min", other: requests("45"), rateMs: 60_000 },
  { ...own, what: "a window of 60 s, of a rate over 1 min", other: requests("60", quick), rateMs: 60_000 },
  {
    ...own,
    what: "a window of 60 s, of a rate over 2 min",
    other: requests("60", quick),
    rateMs: 120_000,
    peakBar: 0.1,
  },
  {
    ...own,
    what: "target 75, of scrapes every 30 s",
    other: requests("75"),
    rateMs: 60_000,
    scrapeMs: 30_000,
    peakBar: 0.1,
    bar: 0.02,
  },
  { ...slow, what: "target 75, of scrapes every minute", other: requests("75") },
  { ...slow, what: "target 45, of scrapes every minute", other: requests("45") },
  { ...slow, what: "a window of 60 s, of scrapes every minute", other: requests("60", quick) },
  { ...ofCpu, what: "cpu 85", other: cpu(85) },
  { ...ofCpu, what: "cpu 50", other: cpu(50) },
])("$what", ({ own: autoscaler, other, hotAbove, peakBar, bar, ...measured }) => {
  const recording = recordScenario(recordedDay(autoscaler, measured));
  const read = inferLoad(recording, { autoscaler, ...measured });
  if (!read.ok) throw new Error(read.message);
  const inferred = read.load;
  const options = { periodMs: 15_000, seed: 1, hotAbove };
  const made = createCounterfactual(recording, { autoscaler, inferred }, options);
  expect(Math.abs(made.control.podHoursError)).toBeLessThan(0.01);
  expect(made.control.isWithinBar).toBe(true);
  const { scores, podHours, peak } = whatIfOf(made, other);
  const truth = truthOf(recordedDay(other, measured));
  expect(Math.abs(scores.podHours / truth.podHours - 1)).toBeLessThan(bar);
  expect(podHours.low).toBeLessThan(1.001 * truth.podHours);
  expect(podHours.high).toBeGreaterThan(0.999 * truth.podHours);
  expect(Math.abs(scores.peak - truth.peak)).toBeLessThanOrEqual(Math.max(1, peakBar * truth.peak));
  expect(truth.peak).toBeGreaterThanOrEqual(peak.low - 1);
  expect(truth.peak).toBeLessThanOrEqual(peak.high + 1);
});

function truthOf(truth: Scenario): { readonly podHours: number; readonly peak: number } {
  const changes = simulate(truth, { seriesPoints: 0 }).workloads[0]?.changes ?? [];
  const span = { fromMs: startMs, toMs: startMs + truth.durationMs };
  const { podMs, peak } = desiredArea(changes, span, truth.workloads[0]?.replicas ?? 0);
  return { podHours: podMs / 3_600_000, peak };
}
