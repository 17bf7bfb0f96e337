// Figures of runs: closed forms of areas, ranges, totals, and how pods follow steps.
import { expect, test } from "vitest";
import { simulate } from "../src/index.ts";
import { createChanges } from "../src/score/changes.ts";
import { areaAbove, secondsAbove } from "../src/score/meter.ts";
import { rangeOf } from "../src/score/range.ts";
import { stepResponses } from "../src/score/step-response.ts";
import {
  constant,
  externalMetric,
  hpa,
  pod,
  scenario,
  startMs,
  steps,
  workload,
} from "../src/testing/index.ts";

test("time and area of a line above a level", () => {
  const line = { seconds: 10, loadFrom: 0, loadTo: 100 };
  expect([secondsAbove(line, 40), areaAbove(line, 40)]).toEqual([6, 180]);
  expect([secondsAbove(line, 100), areaAbove(line, 100)]).toEqual([0, 0]);
  expect([secondsAbove(line, -1), areaAbove(line, -10)]).toEqual([10, 600]);
  const falling = { seconds: 10, loadFrom: 100, loadTo: 0 };
  expect([secondsAbove(falling, 40), areaAbove(falling, 40)]).toEqual([6, 180]);
});

test("a range is known when every run is", () => {
  expect(rangeOf([3, 1, 2])).toEqual({ median: 2, low: 1, high: 3 });
  expect(rangeOf([1, 2])).toEqual({ median: 1.5, low: 1, high: 2 });
  expect(rangeOf([1, undefined])).toBeUndefined();
  expect(rangeOf([])).toBeUndefined();
});

test("a reversal takes back a change within ten minutes", () => {
  const changes = createChanges();
  changes.add({ atMs: 0, from: 2, to: 4 });
  changes.add({ atMs: 500_000, from: 4, to: 3 });
  changes.add({ atMs: 1_200_000, from: 3, to: 4 });
  expect(changes.reversals).toBe(1);
});

test("a rectangular overload: backlog, shortage and hot time in closed form", () => {
  // Two pods of 200; 500 for 60 s is 6,000 too many, which 100 less than capacity serve in 60 s.
  const load = steps([-3600, 300], [600, 500], [660, 300]);
  const [one] = simulate(scenario({}, [workload({ replicas: 2, load })])).workloads;
  expect(one?.scores.backlogMax).toBeCloseTo(6000, 4);
  expect(one?.scores.hotSeconds).toBeCloseTo(120, 4);
  // 500/170 pods are needed, and there are two.
  expect(one?.scores.shortPodSeconds).toBeCloseTo((500 / 170 - 2) * 60, 4);
  expect(one?.scores.lost).toBe(0);
});

test("who waits longer than the timeout is lost", () => {
  const load = steps([-3600, 300], [600, 500], [660, 300]);
  const impatient = { ...pod, timeoutMs: 1000 };
  const [one] = simulate(scenario({}, [workload({ replicas: 2, load, pod: impatient })])).workloads;
  // The queue has room for what 400 a second serve in a second.
  expect(one?.scores.backlogMax).toBeCloseTo(400, 4);
  expect(one?.scores.lost).toBeCloseTo(6000 - 400, 4);
});

test("latency is that of the formulas while nothing queues", () => {
  const [calm] = simulate(scenario({}, [workload({ replicas: 10, load: constant(100) })])).workloads;
  expect(calm?.scores.latencyMs).toBeCloseTo(40, 1);
  const [busy] = simulate(scenario({}, [workload({ replicas: 1, load: constant(190) })])).workloads;
  expect(busy?.scores.latencyMs).toBeGreaterThan(150);
  expect(busy?.scores.latencyMs).toBeLessThan(500);
});

test("the response to a step", () => {
  const [one] = simulate(
    scenario({ scraping: { ...scenario({}, []).scraping, intervalMs: 1000 } }, [
      workload({
        replicas: 10,
        load: steps([-3600, 600], [60, 3600], [600, 600]),
        pod: { ...pod, serviceTimeMs: 1000, concurrency: 1000 },
        metrics: { load: { of: "in-flight", query: "value", windowMs: 0 } },
        autoscaler: hpa({ metrics: [externalMetric("load", "60")] }),
      }),
    ]),
  ).workloads;
  if (one === undefined) throw new Error("there is no workload");
  const [up, down] = stepResponses(one.series, one.changes);
  expect(up?.overshoot).toBe(0);
  expect([up?.from, up?.to].map((load) => Math.round(load ?? 0))).toEqual([600, 3600]);
  expect(((up?.atMs ?? 0) - startMs) / 1000).toBeCloseTo(60, -0.5);
  expect(up?.reaction).toBeCloseTo(5, -0.5);
  expect(up?.settling).toBeCloseTo(35, -0.5);
  expect(down?.reaction).toBeCloseTo(305, -0.5);
});

test("after a jump of the load latency is unknown until the queue is at rest again", () => {
  // 300 of 400 a second, of slots that serve 25: 1/(25 × (1 − √0.75)²) seconds.
  const atRest = 1 / (25 * (1 - Math.sqrt(0.75)) ** 2);
  const [jumped] = simulate(
    scenario({}, [workload({ replicas: 2, load: steps([-3600, 100], [600, 300]) })]),
  ).workloads;
  expect(jumped?.scores.transientSeconds).toBeCloseTo(atRest, 6);
  expect(jumped?.scores.latencyMs).toBeGreaterThan(40);
  const [little] = simulate(
    scenario({}, [workload({ replicas: 2, load: steps([-3600, 290], [600, 300]) })]),
  ).workloads;
  expect(little?.scores.transientSeconds).toBe(0);
});

test("on a steep line latency is unknown", () => {
  const line = (seconds: number) =>
    ({
      kind: "points",
      shape: "lines",
      atMs: [startMs + 600_000, startMs + 600_000 + seconds * 1000],
      perSecond: [250, 390],
    }) as const;
  const [steep] = simulate(scenario({}, [workload({ replicas: 2, load: line(10) })])).workloads;
  expect(steep?.scores.transientSeconds).toBeCloseTo(10, 6);
  const [slow] = simulate(scenario({}, [workload({ replicas: 10, load: line(600) })])).workloads;
  expect(slow?.scores.transientSeconds).toBe(0);
});
