// The load behind a recording whose autoscaler brings its metric along as a query.
import type { MetricSpec } from "@plimsoll/core";
import { type Autoscaler, type Scenario, simulate } from "@plimsoll/simulator";
import { externalMetric, hpa, podsMetric, startMs } from "@plimsoll/simulator/testing";
import { expect, test } from "vitest";
import type { InferOptions } from "../../src/index.ts";
import { desiredArea } from "../../src/infer/counterfactual.ts";
import { inferLoad } from "../../src/infer/load.ts";
import { createCounterfactual } from "../../src/infer/what-if.ts";
import { recordScenario } from "../../src/testing/recorder.ts";
import { recordedDay } from "./recorded-day.ts";
import { whatIfOf } from "./run-plan.ts";

const options = { rateMs: 30_000, scrapeMs: 15_000 };

function of(...metrics: readonly MetricSpec[]): Autoscaler {
  return hpa({ metrics: [...metrics], minReplicas: 2, maxReplicas: 60 });
}

function queryOf(metric: MetricSpec, promql: string): MetricSpec {
  return { ...metric, query: { promql, source: "default", metric: "shop@query.0123456789abcdef" } };
}

/** A day on which the metric of this name is the load of all pods, or of each. */
function dayOf(autoscaler: Autoscaler, name: string, of: "requests" | "offered"): Scenario {
  const day = recordedDay(autoscaler, { hours: 2 });
  const meaning = { of, query: "rate", windowMs: 30_000 } as const;
  return { ...day, workloads: day.workloads.map((one) => ({ ...one, metrics: { [name]: meaning } })) };
}

function podHoursOf(scenario: Scenario): number {
  const changes = simulate(scenario, { seriesPoints: 0 }).workloads[0]?.changes ?? [];
  const span = { fromMs: startMs, toMs: startMs + scenario.durationMs };
  return desiredArea(changes, span, scenario.workloads[0]?.replicas ?? 0).podMs / 3_600_000;
}

const cases: readonly (readonly [
  string,
  (target: string, at?: number) => MetricSpec,
  "requests" | "offered",
  InferOptions["loadModels"],
])[] = [
  ["of pods", (target, at = 0) => podsMetric(`query[${at}]`, target), "requests", {}],
  [
    "of the whole",
    (target, at = 0) => externalMetric(`query[${at}]`, target),
    "offered",
    { "query[0]": "independent" },
  ],
];

test.each(cases)(
  "another specification is run on the recorded values of a query %s",
  (_, metric, meaning, loadModels) => {
    const own = of(queryOf(metric("60"), "sum(a)"));
    const recording = recordScenario(dayOf(own, "query[0]", meaning));
    const read = inferLoad(recording, { autoscaler: own, ...options, loadModels: loadModels ?? {} });
    if (!read.ok) throw new Error(read.message);
    const made = createCounterfactual(
      recording,
      { autoscaler: own, inferred: read.load },
      { periodMs: 15_000, seed: 1 },
    );
    expect(Math.abs(made.control.podHoursError)).toBeLessThan(0.03);
    const other = of(queryOf(metric("120"), "sum(a)"));
    const truth = podHoursOf(dayOf(other, "query[0]", meaning));
    expect(Math.abs(whatIfOf(made, other).scores.podHours / truth - 1)).toBeLessThan(0.03);
  },
);

test("what is missing for a query is asked for by its position", () => {
  const own = of(queryOf(externalMetric("query[0]", "60"), 'sum(rate(a{b="c"}[1m]))'));
  const recording = recordScenario(dayOf(own, "query[0]", "offered"));
  expect(inferLoad(recording, { autoscaler: own, ...options })).toMatchObject({
    ok: false,
    message: expect.stringContaining("--load-model query[0]=independent"),
  });
});
