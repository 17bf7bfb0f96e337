// What-ifs on cpu that the metrics adapter reads by a query, against the simulated truth.
import { type Autoscaler, type ResourceQuery, type Scenario, simulate } from "@plimsoll/simulator";
import { hpa } from "@plimsoll/simulator/testing";
import { expect, test } from "vitest";
import { desiredArea } from "../../src/infer/counterfactual.ts";
import { inferLoad } from "../../src/infer/load.ts";
import { createCounterfactual } from "../../src/infer/what-if.ts";
import { recordScenario } from "../../src/testing/recorder.ts";
import { cpuMetric, recordedDay } from "../infer/recorded-day.ts";
import { whatIfOf } from "../infer/run-plan.ts";

const periodMs = 15_000;

function cpu(averageUtilization: number, windowSeconds = 300): Autoscaler {
  const { resource } = cpuMetric;
  return hpa({
    metrics: [
      { ...cpuMetric, resource: { ...resource, target: { ...resource.target, averageUtilization } } },
    ],
    minReplicas: 2,
    maxReplicas: 60,
    behavior: { scaleDown: { stabilizationWindowSeconds: windowSeconds } },
  });
}

function measured(autoscaler: Autoscaler, resourceQuery: ResourceQuery): Scenario {
  const day = recordedDay(autoscaler);
  return { ...day, scraping: { ...day.scraping, resourceQuery } };
}

function podHours(scenario: Scenario): number {
  const changes = simulate(scenario, { seriesPoints: 0 }).workloads[0]?.changes ?? [];
  const span = { fromMs: scenario.startMs, toMs: scenario.startMs + scenario.durationMs };
  return desiredArea(changes, span, scenario.workloads[0]?.replicas ?? 0).podMs / 3_600_000;
}

test.each<ResourceQuery>([
  { query: "rate", rangeMs: 60_000, windowMs: 60_000 },
  { query: "rate", rangeMs: 180_000, windowMs: 180_000 },
  { query: "rate", rangeMs: 180_000, windowMs: 60_000 },
  { query: "irate", rangeMs: 300_000, windowMs: 300_000 },
])("$query over $rangeMs ms that says it covers $windowMs ms", (query) => {
  const autoscaler = cpu(70);
  const recording = recordScenario(measured(autoscaler, query));
  const read = inferLoad(recording, { autoscaler, scrapeMs: 15_000 });
  if (!read.ok) throw new Error(read.message);
  const options = { periodMs, seed: 1, hotAbove: 0.5 };
  const made = createCounterfactual(recording, { autoscaler, inferred: read.load }, options);
  expect(made.control.isWithinBar).toBe(true);
  for (const other of [cpu(80), cpu(70, 60)]) {
    const { scores } = whatIfOf(made, other);
    expect(Math.abs(scores.podHours / podHours(measured(other, query)) - 1)).toBeLessThan(0.01);
  }
});
