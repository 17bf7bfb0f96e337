// What is varied, what a candidate of it is, and what is applied for one.
import type { MetricSpec } from "@plimsoll/core";
import { defaultHpa, validateHpa } from "@plimsoll/core/api";
import { readQueries, withQueries } from "@plimsoll/core/queries";
import { assertProperty } from "@plimsoll/properties";
import type { Autoscaler } from "@plimsoll/simulator";
import { hpa, podsMetric } from "@plimsoll/simulator/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Recording, readTuneSpace } from "../../src/index.ts";
import { latinHypercube } from "../../src/tune/hypercube.ts";
import { neighborsOf, stepsOf } from "../../src/tune/neighbors.ts";
import { patchOf } from "../../src/tune/patch.ts";
import { dimensionsOf, type SpaceOf } from "../../src/tune/space.ts";
import { candidateOf } from "../../src/tune/specification.ts";
import { isUtilization, parametersOfToday } from "../../src/tune/today.ts";
import { cpuMetric } from "../infer/recorded-day.ts";

const cpu = hpa({ metrics: [podsMetric("other", "5"), cpuMetric], minReplicas: 4, maxReplicas: 40 });

function spaceOf(autoscaler: Autoscaler, more: Partial<SpaceOf> = {}): SpaceOf {
  return {
    today: parametersOfToday(autoscaler, 1),
    isUtilization: isUtilization(autoscaler.hpa.spec, 1),
    isCensored: false,
    isThin: false,
    hasFloors: true,
    hasTolerance: true,
    ...more,
  };
}

const schedules = [{ name: "floor", timeZone: "UTC", start: "0 8 * * 1", end: "0 9 * * 1", minReplicas: 9 }];
const of = { autoscaler: cpu, today: parametersOfToday(cpu, 1), metricIndex: 1, floorsOf: () => schedules };

test("today's values are found, also where the API or the controller gives them", () => {
  expect(of.today).toEqual({
    target: 70,
    minReplicas: 4,
    maxReplicas: 40,
    scaleDownWindow: 300,
    scaleUpWindow: 0,
    scaleDownPolicies: "default",
    scaleUpPolicies: "default",
    toleranceDown: 0.1,
    toleranceUp: 0.1,
    floor: "none",
  });
  const tuned = { ...cpu, schedules, options: { tolerance: 0.2, downscaleStabilizationMs: 60_000 } };
  expect(parametersOfToday(tuned, 1)).toMatchObject({ scaleDownWindow: 60, toleranceUp: 0.2 });
  expect(parametersOfToday(tuned, 1)).not.toHaveProperty("floor");
});

test("utilizations go from 30 to 95 in steps from today's, amounts from half to one and a half", () => {
  const [utilization] = dimensionsOf(spaceOf(cpu));
  expect(utilization?.values.slice(0, 2)).toEqual([30, 32]);
  expect(utilization?.values.at(-1)).toBe(94);
  expect(utilization?.values[utilization.today]).toBe(70);
  const [amount] = dimensionsOf(spaceOf(hpa({ metrics: [cpuMetric, podsMetric("requests", "60")] })));
  expect([amount?.values[0], amount?.values.at(-1), amount?.values.length]).toEqual([30, 90, 41]);
});

test("a range of the space goes beyond what is usual", () => {
  const requests = spaceOf(hpa({ metrics: [cpuMetric, podsMetric("requests", "30")] }));
  const [amount] = dimensionsOf(requests, { target: { min: 30, max: 70 } });
  expect([amount?.values[0], amount?.values.at(-1)]).toEqual([30, 69.8]);
  const [utilization] = dimensionsOf(spaceOf(cpu), { target: { max: 140 } });
  expect(utilization?.values.at(-1)).toBe(140);
});

test("a list opens nothing that is not open, and a limit leaves the steps by which candidates are checked", () => {
  const thin = { isThin: true, hasFloors: false, hasTolerance: false };
  const lists = { floor: [0.9], minReplicas: [1], maxReplicas: [80], toleranceUp: [0.02], target: [70, 80] };
  const names = (more: Partial<SpaceOf>) => dimensionsOf(spaceOf(cpu, more), lists).map(({ name }) => name);
  for (const name of ["floor", "minReplicas", "maxReplicas", "toleranceUp"])
    expect(names(thin)).not.toContain(name);
  expect(names({ isCensored: true })).toEqual(
    expect.arrayContaining(["floor", "minReplicas", "maxReplicas", "toleranceUp"]),
  );
  const [target] = dimensionsOf(spaceOf(cpu), { target: { max: 80 } });
  expect([target?.values.at(-1), target?.grid?.at(-1)]).toEqual([80, 94]);
});

test("maxReplicas goes up only where the load was more than it could take", () => {
  const names = (more: Partial<SpaceOf>) => dimensionsOf(spaceOf(cpu, more)).map(({ name }) => name);
  expect(names({})).not.toContain("maxReplicas");
  expect(names({ isCensored: true })).toContain("maxReplicas");
  const max = dimensionsOf(spaceOf(cpu, { isCensored: true })).find(({ name }) => name === "maxReplicas");
  expect(max).toMatchObject({ values: [40, 50, 60, 80], today: 0 });
  expect(names({ hasFloors: false })).not.toContain("floor");
  expect(names({ hasTolerance: false })).not.toContain("toleranceUp");
});

test("a space narrows to a range, to values, or to today's", () => {
  const limits = { target: { min: 60, max: 66 }, floor: ["none", 0.9], scaleDownWindow: "today" } as const;
  const dimensions = dimensionsOf(spaceOf(cpu), limits);
  expect(dimensions.find(({ name }) => name === "target")?.values).toEqual([60, 62, 64, 66, 70]);
  expect(dimensions.find(({ name }) => name === "floor")?.values).toEqual(["none", 0.9]);
  expect(dimensions.some(({ name }) => name === "scaleDownWindow")).toBe(false);
});

test.each([
  { document: [], path: "", message: /is not a map of parameters/ },
  { document: { goal: "today" }, path: "goal", message: /is not a parameter/ },
  { document: { target: "all" }, path: "target", message: /is not a limit/ },
  { document: { target: { from: 3 } }, path: "target.from", message: /is not the end of a range/ },
  { document: { target: { min: -1 } }, path: "target.min", message: /is not a number above 0/ },
  { document: { minReplicas: [1.5] }, path: "minReplicas[0]", message: /is not a whole number from 1/ },
  { document: { scaleDownWindow: { max: 3600 } }, path: "scaleDownWindow.max", message: /from 0 to 1800/ },
  { document: { floor: { min: 0.5 } }, path: "floor", message: /is not a limit/ },
  { document: { floor: [0.8] }, path: "floor[0]", message: /is not one of the values/ },
  {
    document: { scaleUpPolicies: ["fast"] },
    path: "scaleUpPolicies[0]",
    message: /is not one of the values/,
  },
])("$document is no space", ({ document, path, message }) => {
  const read = readTuneSpace(document);
  const [problem] = read.ok ? [] : read.problems;
  expect(problem?.path).toBe(path);
  expect(problem?.message).toMatch(message);
  expect(problem?.remedy).not.toBe("");
});

test("a good space is taken as it is, and all problems are said at once", () => {
  const document = { target: { min: 50, max: 80 }, minReplicas: "today", floor: ["none", 1] };
  expect(readTuneSpace(document)).toEqual({ ok: true, space: document });
  const read = readTuneSpace({ target: { min: 0, max: "x" }, goal: 1 });
  expect(read.ok ? [] : read.problems.map(({ path }) => path)).toEqual(["target.min", "target.max", "goal"]);
});

test("a step is to the value beside, and neighbors begin with today's values", () => {
  const dimensions = dimensionsOf(spaceOf(cpu));
  const [target] = dimensions;
  if (target === undefined) throw new Error("there is no target");
  expect(stepsOf(of.today, target, 1).map((point) => point.target)).toEqual([68, 72]);
  const moved = { ...of.today, minReplicas: 2, target: 94 };
  const near = neighborsOf(moved, dimensions);
  expect(near.slice(0, 2)).toEqual([
    { ...moved, target: 70 },
    { ...moved, minReplicas: 4 },
  ]);
  expect(near.every((point) => Number(point.target) <= 94)).toBe(true);
});

test("every point is a specification that the API takes, and today's is unchanged", () => {
  const dimensions = dimensionsOf(spaceOf(cpu, { isCensored: true }));
  expect(candidateOf(0, of.today, of)).toMatchObject({
    changes: [],
    what: "as it is today",
    autoscaler: cpu,
  });
  assertProperty(
    fc.property(fc.nat(), (seed) => {
      for (const point of latinHypercube(dimensions, 8, seed)) {
        const candidate = candidateOf(1, { ...of.today, ...point }, of);
        if (candidate === undefined) throw new Error("a point is not a candidate");
        const problems = validateHpa(defaultHpa(candidate.autoscaler.hpa)).filter(({ path }) =>
          path.startsWith("spec"),
        );
        expect(problems).toEqual([]);
        expect(candidate.autoscaler.schedules === undefined).toBe(candidate.parameters.floor === "none");
        expect(parametersOfToday({ hpa: candidate.autoscaler.hpa }, 1)).toEqual({
          ...of.today,
          ...point,
          floor: "none",
        });
      }
    }),
    { numRuns: 20 },
  );
});

test("bounds that contradict each other are no candidate", () => {
  expect(candidateOf(1, { ...of.today, minReplicas: 50 }, of)).toBeUndefined();
});

const recording = {
  target: { namespace: "default", kind: "Deployment", name: "shop" },
  autoscaler: { object: { apiVersion: "autoscaling/v1" }, changes: [] },
} as unknown as Recording;

test("a patch has what changes, and all metrics where a target does", () => {
  const point = { ...of.today, target: 80, scaleDownWindow: 180, toleranceUp: 0.05 };
  const candidate = candidateOf(1, point, of);
  if (candidate === undefined) throw new Error("there is no candidate");
  expect(candidate.what).toBe("target 70 → 80, scale-down window 300 → 180 s, tolerance up 0.1 → 0.05");
  const target = { type: "Utilization", averageUtilization: 80 };
  expect(patchOf(candidate, recording)).toEqual({
    kind: "merge-patch",
    apiVersion: "autoscaling/v2",
    object: "HorizontalPodAutoscaler",
    namespace: "default",
    name: "shop",
    patch: {
      spec: {
        metrics: [podsMetric("other", "5"), { type: "Resource", resource: { name: "cpu", target } }],
        behavior: { scaleDown: { stabilizationWindowSeconds: 180 }, scaleUp: { tolerance: "50m" } },
      },
    },
  });
});

test("schedules need a WorkloadAutoscaler in place of the HPA, with all of its specification", () => {
  const candidate = candidateOf(1, { ...of.today, floor: 0.9 }, of);
  if (candidate === undefined) throw new Error("there is no candidate");
  expect(patchOf(candidate, recording)).toEqual({
    kind: "manifest",
    manifest: {
      apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
      kind: "WorkloadAutoscaler",
      metadata: { name: "shop", namespace: "default" },
      spec: { ...cpu.hpa.spec, schedules },
    },
  });
});

test("a WorkloadAutoscaler keeps what happens when its metrics fail", () => {
  const wla: Autoscaler = {
    hpa: { ...cpu.hpa, kind: "WorkloadAutoscaler" },
    failurePolicies: [{ policy: "Block" }, { policy: "HoldLast", maxAgeSeconds: 60 }],
  } as Autoscaler;
  const candidate = candidateOf(1, { ...of.today, target: 80 }, { ...of, autoscaler: wla });
  if (candidate === undefined) throw new Error("there is no candidate");
  const patch = patchOf(candidate, {
    ...recording,
    autoscaler: { object: { apiVersion: "autoscaling.plimsoll.dev/v1alpha1" }, changes: [] },
  });
  expect(patch).toMatchObject({
    object: "WorkloadAutoscaler",
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
  });
  expect(JSON.stringify(patch)).toContain('"onMetricFailure":{"policy":"HoldLast","maxAgeSeconds":60}');
});

test("a query in a patch is as it was written, with its other target", () => {
  const written = {
    type: "Query",
    query: { promql: "sum(rate(a[2m]))", target: { type: "AverageValue", averageValue: "100" } },
  };
  const metrics = withQueries([written, cpuMetric], readQueries("shop", [written])) as readonly MetricSpec[];
  const own = hpa({ metrics: [...metrics], minReplicas: 4, maxReplicas: 40 });
  const wla: Autoscaler = { ...own, hpa: { ...own.hpa, kind: "WorkloadAutoscaler" } };
  const ofQuery = { ...of, autoscaler: wla, metricIndex: 0, today: parametersOfToday(wla, 0) };
  const candidate = candidateOf(1, { ...ofQuery.today, target: 80 }, ofQuery);
  if (candidate === undefined) throw new Error("there is no candidate");
  expect(patchOf(candidate, recording)).toMatchObject({
    object: "WorkloadAutoscaler",
    patch: {
      spec: {
        metrics: [
          {
            type: "Query",
            query: { promql: "sum(rate(a[2m]))", target: { type: "AverageValue", averageValue: "80" } },
          },
          { type: "Resource" },
        ],
      },
    },
  });
  expect(JSON.stringify(patchOf(candidate, recording))).not.toContain("query[0]");
});
