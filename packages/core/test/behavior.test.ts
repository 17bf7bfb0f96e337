import { expect, test } from "vitest";
import { applyPolicies, stabilize } from "../src/decide/steps/index.ts";
import { nowMs } from "./fixtures.ts";

const percent = (value: number) => [{ type: "Percent", value, periodSeconds: 60 }];

test.each([
  [50, 10, 56],
  [100, 10, 111],
  [200, 10, 221],
  [10, 50, 15],
])("up from %i by %i %% reaches %i in floats", (currentReplicas, value, expected) => {
  const behavior = { scaleUp: { policies: percent(value) } };
  const input = { nowMs, currentReplicas, desiredReplicas: 1000, maxReplicas: 1000, behavior };
  expect(applyPolicies(input)).toMatchObject({ replicas: expected, reason: "ScaleUpLimit", isLimited: true });
});

test.each([
  [90, 30, 62],
  [170, 30, 118],
  [11, 30, 7],
])("down from %i by %i %% reaches %i in floats", (currentReplicas, value, expected) => {
  const behavior = { scaleDown: { policies: percent(value) } };
  const input = { nowMs, currentReplicas, desiredReplicas: 1, maxReplicas: 1000, behavior };
  expect(applyPolicies(input)).toMatchObject({ replicas: expected, reason: "ScaleDownLimit" });
});

const two = [
  { type: "Percent", value: 10, periodSeconds: 60 },
  { type: "Pods", value: 4, periodSeconds: 60 },
];

test.each([
  ["Max", "scaleUp", 14],
  ["Min", "scaleUp", 11],
  ["Disabled", "scaleUp", 10],
  ["Max", "scaleDown", 6],
  ["Min", "scaleDown", 9],
  ["Disabled", "scaleDown", 10],
])("%s of two policies for %s from 10 is %i", (selectPolicy, side, expected) => {
  const behavior = { [side]: { selectPolicy, policies: two } };
  const desiredReplicas = side === "scaleUp" ? 100 : 1;
  const input = { nowMs, currentReplicas: 10, desiredReplicas, maxReplicas: 100, behavior };
  expect(applyPolicies(input).replicas).toBe(expected);
});

test("a policy of an unknown type repeats the one before it, and a first one allows none", () => {
  const odd = { type: "Odd", value: 900, periodSeconds: 60 };
  const allowed = (policies: readonly object[], selectPolicy = "Max") => {
    const behavior = { scaleUp: { selectPolicy, policies } } as never;
    const input = { nowMs, currentReplicas: 10, desiredReplicas: 100, maxReplicas: 100, behavior };
    return applyPolicies(input).replicas;
  };
  expect([allowed([...two, odd]), allowed([...two, odd], "Min"), allowed([odd])]).toEqual([14, 11, 10]);
});

test("changes within the period use the allowance up; one exactly as old as it does not", () => {
  const behavior = { scaleUp: { policies: [{ type: "Pods", value: 5, periodSeconds: 60 }] } };
  const scaleUpEvents = [
    { change: 3, atMs: nowMs - 30_000 },
    { change: 4, atMs: nowMs - 60_000 },
  ];
  const input = { nowMs, currentReplicas: 12, desiredReplicas: 30, maxReplicas: 40, behavior, scaleUpEvents };
  expect(applyPolicies(input).replicas).toBe(14);
  const gone = { ...input, scaleUpEvents: [{ change: 9, atMs: nowMs - 1 }] };
  expect(applyPolicies(gone)).toMatchObject({ replicas: 12, reason: "ScaleUpLimit" });
});

test.each([
  { currentReplicas: 7, desiredReplicas: 22, maxReplicas: 40, replicas: 14, reason: "ScaleUpLimit" },
  { currentReplicas: 1, desiredReplicas: 9, maxReplicas: 40, replicas: 4, reason: "ScaleUpLimit" },
  { currentReplicas: 0, desiredReplicas: 9, maxReplicas: 40, replicas: 4, reason: "ScaleUpLimit" },
  { currentReplicas: 7, desiredReplicas: 22, maxReplicas: 10, replicas: 10, reason: "TooManyReplicas" },
  { currentReplicas: 7, desiredReplicas: 1, maxReplicas: 10, replicas: 2, reason: "TooFewReplicas" },
  { currentReplicas: 7, desiredReplicas: 5, maxReplicas: 10, replicas: 5, reason: "DesiredWithinRange" },
])(
  "without behavior $currentReplicas → $desiredReplicas gives $replicas ($reason)",
  ({ replicas, reason, ...given }) => {
    expect(applyPolicies({ nowMs, minReplicas: 2, ...given })).toMatchObject({ replicas, reason });
  },
);

test("with behavior neither min nor max is applied where nothing changes", () => {
  const input = {
    nowMs,
    currentReplicas: 50,
    desiredReplicas: 50,
    minReplicas: 1,
    maxReplicas: 10,
    behavior: {},
  };
  expect(applyPolicies(input)).toMatchObject({ replicas: 50, reason: "DesiredWithinRange" });
});

test("the window without behavior includes its edge, the one with behavior does not", () => {
  const recommendations = [{ replicas: 8, atMs: nowMs - 120_000 }];
  const input = { nowMs, currentReplicas: 9, desiredReplicas: 4, recommendations };
  expect(stabilize({ ...input, options: { downscaleStabilizationMs: 120_000 } })).toMatchObject({
    replicas: 8,
    reason: "ScaleDownStabilized",
  });
  const behavior = { scaleDown: { stabilizationWindowSeconds: 120 } };
  expect(stabilize({ ...input, behavior })).toMatchObject({ replicas: 4, reason: "ReadyForNewScale" });
});

test("an up window takes the lowest recommendation", () => {
  const behavior = { scaleUp: { stabilizationWindowSeconds: 60 } };
  const recommendations = [{ replicas: 6, atMs: nowMs - 10_000 }];
  const result = stabilize({ nowMs, currentReplicas: 5, desiredReplicas: 20, behavior, recommendations });
  expect(result).toMatchObject({ replicas: 6, reason: "ScaleUpStabilized" });
  expect(result.trace.heldBy).toEqual(recommendations[0]);
});

test("the last expired entry is overwritten, others stay where they are", () => {
  const recommendations = [
    { replicas: 1, atMs: nowMs - 900_000 },
    { replicas: 2, atMs: nowMs - 800_000 },
    { replicas: 3, atMs: nowMs - 10_000 },
  ];
  const result = stabilize({ nowMs, currentReplicas: 3, desiredReplicas: 3, recommendations });
  expect(result.recommendations).toEqual([
    recommendations[0],
    { replicas: 3, atMs: nowMs },
    recommendations[2],
  ]);
});
