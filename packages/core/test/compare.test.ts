import { expect, test } from "vitest";
import {
  compareWithStatus,
  type DecideInput,
  decideWithUnknownHistory,
  type StoredHpaStatus,
  unknownMemories,
} from "../src/index.ts";
import { cpu, old, statusOf } from "./comparisons.ts";
import { externalInput, hpaOf, nowMs, podsMetric, podsSamples } from "./fixtures.ts";

test("the same readings agree", () => {
  const input = cpu(640, 6);
  expect(compareWithStatus(input, old, statusOf(input))).toEqual({
    verdict: "agrees",
    difference: null,
    assumptions: [],
    theirs: null,
    notes: [],
  });
});

test("another value moves, when it gives the count of the status", () => {
  const input = cpu(710, 6);
  expect(compareWithStatus(input, old, statusOf(cpu(640, 6)))).toEqual({
    verdict: "moved",
    difference: { step: "metric", metric: 0, ours: "71%", theirs: "64%" },
    assumptions: [],
    theirs: { desired: 6, recomputed: 6 },
    notes: ["71% now, 64% then; with 64% the same rules give 6 (1.067 is within 0.9–1.1)."],
  });
});

test.each([0.2, 0.16])("a controller with a tolerance of %d differs by that assumption", (tolerance) => {
  const status = statusOf(cpu(690, 6, { options: { tolerance } }));
  const found = compareWithStatus(cpu(700, 6), old, status);
  expect(found).toMatchObject({
    verdict: "differs",
    difference: { step: "metric" },
    theirs: { desired: 6, recomputed: 7 },
  });
  expect(found.assumptions).toContainEqual({ about: "tolerance", value: ">= 0.15" });
});

test("a controller with a smaller tolerance differs by that assumption", () => {
  const input = cpu(640, 6);
  const found = compareWithStatus(input, old, statusOf(cpu(640, 6, { options: { tolerance: 0.01 } })));
  expect(found).toMatchObject({ verdict: "differs", difference: { step: "result", ours: "6", theirs: "7" } });
  expect(found.assumptions).toEqual([{ about: "tolerance", value: "<= 0.066" }]);
});

test("a shorter window of the controller is found as assumption", () => {
  const memory = { ...old, recommendations: [{ replicas: 6, atMs: nowMs - 100_000 }] };
  const input = cpu(200, 6);
  const options = { downscaleStabilizationMs: 60_000 };
  const found = compareWithStatus(input, memory, statusOf({ ...input, options }, memory));
  expect(found).toMatchObject({ verdict: "differs", theirs: { desired: 2, recomputed: 6 } });
  expect(found.assumptions).toEqual([{ about: "downscale-stabilization", value: "< 300s" }]);
});

test("a status of more replicas is not comparable: its pods are gone", () => {
  const status = statusOf(cpu(100, 7));
  expect(status).toMatchObject({ currentReplicas: 7, desiredReplicas: 2 });
  expect(compareWithStatus(cpu(590, 3), old, status)).toEqual({
    verdict: "not-comparable",
    difference: { step: "scale", ours: "3", theirs: "7" },
    assumptions: [],
    theirs: null,
    notes: ["It was computed with 7 replicas, now there are 3; the earlier pods are unknown."],
  });
});

test("a status of another count has moved", () => {
  const status = statusOf(cpu(1000, 4));
  expect(status).toMatchObject({ currentReplicas: 4, desiredReplicas: 7 });
  expect(compareWithStatus(cpu(590, 7), old, status)).toMatchObject({
    verdict: "moved",
    difference: { step: "scale", ours: "7", theirs: "4" },
  });
});

test.each([
  ["External", externalInput("95", 8), externalInput("77", 8)],
  ["Pods", podsInput("12"), podsInput("10500m")],
])("a value of type %s moves", (_, now, then) => {
  expect(compareWithStatus(now, old, statusOf(then))).toMatchObject({
    verdict: "moved",
    difference: { step: "metric", metric: 0 },
  });
});

function podsInput(value: string): DecideInput {
  return cpu(0, 4, {
    hpa: hpaOf({ metrics: [podsMetric("10")] }),
    samples: [podsSamples(Array(4).fill(value) as string[])],
  });
}

test("a metric that failed then and is read now has moved; the other way round nothing is comparable", () => {
  const good = cpu(710, 6);
  const bad = { ...good, samples: [{ error: "down" }] };
  const failed = { ...statusOf(bad), desiredReplicas: 6 };
  expect(compareWithStatus({ ...good, hpa: { ...good.hpa, status: failed } }, old, failed)).toMatchObject({
    verdict: "moved",
    difference: { step: "metrics" },
  });
  expect(compareWithStatus(bad, old, statusOf(good))).toMatchObject({ verdict: "not-comparable" });
});

test("without a status, or with an old one, it lags", () => {
  const input = cpu(710, 6);
  expect(compareWithStatus(input, old, undefined).verdict).toBe("lagging");
  expect(compareWithStatus(input, old, { conditions: [] }).verdict).toBe("lagging");
  expect(compareWithStatus(input, old, { ...statusOf(input), observedGeneration: 2 })).toMatchObject({
    verdict: "lagging",
    notes: ["The status describes generation 2, but the object is at 3."],
  });
});

test("what may not be read is not comparable", () => {
  const input = cpu(710, 6);
  expect(compareWithStatus(input, old, statusOf(input), { notReadable: ["pods"] })).toMatchObject({
    verdict: "not-comparable",
    notes: ["Cannot read pods."],
  });
});

test("a history that does not matter is said to be so", () => {
  expect(decideWithUnknownHistory(cpu(710, 6))).toMatchObject({
    history: "does-not-matter",
    desired: { nothingHeld: 8, heldByPresent: 8, withEvents: 8 },
    notes: [],
  });
});

test("the conditions choose whether a window holds, and what they choose agrees with them", () => {
  const input = cpu(200, 6);
  const bare = decideWithUnknownHistory(input);
  expect(bare).toMatchObject({
    history: "nothing-held",
    desired: { nothingHeld: 2, heldByPresent: 6, withEvents: 2 },
  });
  expect(bare.notes).toEqual([
    "The conditions don't show whether a stabilization window applies: with one, the result is 6 instead of 2.",
  ]);
  const memory = { ...old, recommendations: [{ replicas: 6, atMs: nowMs - 100_000 }] };
  const status = statusOf(input, memory);
  const stored = { ...input, hpa: { ...input.hpa, status } };
  const found = decideWithUnknownHistory(stored);
  expect(found).toMatchObject({ history: "held-by-present", notes: [] });
  expect(found.result.decision.scaleTo).toBeUndefined();
  expect(compareWithStatus(stored, found.memory, status, { isHistoryUnknown: true }).verdict).toBe("agrees");
});

test("scale events of the cluster use up policies", () => {
  const behavior = { scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 120 }] } };
  const memory = { ...old, scaleUpEvents: [{ change: 2, atMs: nowMs - 30_000 }] };
  const status: StoredHpaStatus = {
    ...statusOf(externalInput("90", 6, { hpa: hpaOf({ behavior }) }), memory),
    lastScaleTime: "2026-01-01T11:59:30Z",
  };
  const hpa = { ...hpaOf({ behavior }), status };
  const input = externalInput("90", 6, { hpa });
  const rescales = [
    { atMs: nowMs - 31_000, message: "New size: 6; reason: external metric queue(nil) above target" },
    { atMs: nowMs - 90_000, message: "New size: 4; reason: external metric queue(nil) above target" },
    { atMs: nowMs - 10_000, message: "failed" },
  ];
  expect(unknownMemories(input, rescales).withEvents).toMatchObject({
    scaleUpEvents: [{ change: 2, atMs: nowMs - 31_000 }],
    scaleDownEvents: [],
  });
  const found = decideWithUnknownHistory(input, rescales);
  expect(found).toMatchObject({
    history: "with-events",
    desired: { nothingHeld: 8, heldByPresent: 8, withEvents: 6 },
  });
  expect(compareWithStatus(input, found.memory, status, { isHistoryUnknown: true, rescales }).verdict).toBe(
    "agrees",
  );
});

test("the last scale is known from the status alone", () => {
  const status = {
    currentReplicas: 9,
    desiredReplicas: 6,
    lastScaleTime: "2026-01-01T11:59:30Z",
    conditions: [],
  };
  const input = externalInput("60", 6, { hpa: { ...hpaOf({}), status } });
  expect(unknownMemories(input).withEvents.scaleDownEvents).toEqual([{ change: 3, atMs: nowMs - 30_000 }]);
});

test("values of a status are measured once, not for each memory", () => {
  let reads = 0;
  const input = cpu(640, 6);
  const samples = input.samples[0];
  const counted = {
    get pods() {
      reads += 1;
      return samples !== undefined && "pods" in samples ? samples.pods : [];
    },
  };
  const conditions = statusOf(input).conditions?.map((one) =>
    one.type === "AbleToScale" ? { ...one, reason: "ScaleUpStabilized" } : one,
  );
  const status = { ...statusOf(input), conditions, desiredReplicas: 99 };
  const { verdict } = compareWithStatus({ ...input, samples: [counted] }, old, status, {
    isHistoryUnknown: true,
  });
  expect(verdict).toBe("differs");
  expect(reads).toBeLessThan(400);
});
