// From a record on: the load is shared by the pods, new pods come late, and changes of metrics and of the specification count.
import { type DecideInput, type DecisionRecord, decide, recordDecision } from "@plimsoll/core";
import { expect, test } from "vitest";
import { type ProjectOptions, project } from "../src/index.ts";
import { hpa, podsMetric, startMs } from "../src/testing/index.ts";

const options: ProjectOptions = {
  forMs: 1_200_000,
  periodMs: 15_000,
  readyAfterMs: 45_000,
  load: "constant-total",
  changes: [],
};

/** Ten Ready pods of 50 each, at a target of 50. */
function recordOf(of: Partial<DecideInput> = {}): DecisionRecord {
  const names = Array.from({ length: 10 }, (_, ordinal) => `shop-${ordinal}`);
  const input: DecideInput = {
    nowMs: startMs,
    hpa: hpa({ metrics: [podsMetric("rps", "50")], minReplicas: 2, maxReplicas: 30 }).hpa,
    scale: { ok: true, specReplicas: 10, statusReplicas: 10, selector: "app=shop" },
    pods: {
      ok: true,
      pods: names.map((name) => ({
        metadata: { name },
        status: {
          phase: "Running",
          startTime: "2026-11-26T00:00:00Z",
          conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-11-26T00:00:10Z" }],
        },
      })),
    },
    samples: [{ pods: names.map((name) => ({ name, value: "50" })) }],
    ...of,
  };
  return recordDecision({
    input,
    memory: undefined,
    result: decide(input),
    applied: { outcome: "nothing-to-do" },
  });
}

const changesOf = (record: DecisionRecord, of: Partial<ProjectOptions>) =>
  project(record, { ...options, ...of })
    .steps.filter(({ replicas, desired }) => replicas !== desired)
    .map(({ atMs, replicas, desired }) => [(atMs - startMs) / 1000, replicas, desired]);

test("an even load changes nothing", () => {
  expect(changesOf(recordOf(), {})).toEqual([]);
  expect(project(recordOf(), options).steps).toHaveLength(80);
});

test("half as much more load has half as many more pods, once", () => {
  const changes = [{ afterMs: 60_000, metric: "rps", to: { factor: 1.5 } }];
  expect(changesOf(recordOf(), { changes })).toEqual([[60, 10, 15]]);
});

test("a total in the place of the recorded one, and the window before fewer pods", () => {
  const changes = [{ afterMs: 0, metric: "rps", to: { total: 250 } }];
  expect(changesOf(recordOf(), { changes })).toEqual([[315, 10, 5]]);
});

test("with a load of each pod there is no end of it", () => {
  const changes = [{ afterMs: 0, metric: "rps", to: { factor: 1.5 } }];
  const found = changesOf(recordOf(), { changes, load: "constant-per-pod" });
  expect(found.at(-1)?.[2]).toBe(30);
});

test("a metric that is not there is named, and one that fails is noted", () => {
  const changes = [{ afterMs: 0, metric: "cpu", to: { factor: 2 } }];
  expect(project(recordOf(), { ...options, changes })).toMatchObject({
    unknownMetrics: ["cpu"],
    metrics: ["rps"],
    notes: [],
  });
  const { notes, steps } = project(recordOf({ samples: [{ error: "no such metric" }] }), options);
  expect(notes).toEqual(["cannot read rps (as in the record)"]);
  expect(steps.every(({ desired }) => desired === 10)).toBe(true);
  expect(project(recordOf({ scale: { ok: false, message: "gone" } }), options)).toEqual({
    unknownMetrics: [],
    metrics: ["rps"],
    steps: [],
    notes: ["cannot read the scale: gone"],
  });
});

test("it ends with a note where more pods would follow than are computed", () => {
  const { hpa: object } = hpa({
    metrics: [podsMetric("rps", "1m")],
    minReplicas: 2,
    maxReplicas: 2_147_483_647,
    behavior: { scaleUp: { policies: [{ type: "Percent", value: 900, periodSeconds: 15 }] } },
  });
  const { steps, notes } = project(recordOf({ hpa: object }), options);
  expect(Math.max(...steps.map(({ replicas }) => replicas))).toBeLessThanOrEqual(10_000);
  expect(steps.at(-1)?.desired).toBeGreaterThan(10_000);
  expect(notes).toEqual(["stopped here: more than 10000 pods would be needed"]);
});
