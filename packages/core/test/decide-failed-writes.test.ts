import { expect, test } from "vitest";
import { decide, withFailedRescale } from "../src/index.ts";
import { condition, externalInput, hpaOf, nowMs } from "./fixtures.ts";

test("a failed write takes back status, event and scale events, but keeps the recommendation", () => {
  const status = {
    desiredReplicas: 2,
    currentReplicas: 2,
    lastScaleTime: "2026-01-01T10:00:00Z",
    conditions: [
      {
        type: "AbleToScale",
        status: "False",
        reason: "FailedUpdateScale",
        lastTransitionTime: "2026-01-01T11:00:00Z",
      },
    ],
  };
  const hpa = { ...hpaOf({ behavior: {} }), status };
  const result = decide({ ...externalInput("35", 2), hpa });
  expect(result.memory.scaleUpEvents).toEqual([{ change: 2, atMs: nowMs }]);
  const { decision, memory } = withFailedRescale(result, "conflict");
  expect(memory.scaleUpEvents).toEqual([]);
  expect(memory.recommendations).toEqual(result.memory.recommendations);
  expect(decision).toMatchObject({
    scaleTo: undefined,
    desiredReplicas: 2,
    outcome: {
      action: "none",
      error: "internal",
      message: "failed to rescale Deployment/shop/web: conflict",
    },
    events: [
      {
        reason: "FailedRescale",
        message: "New size: 4; reason: external metric queue(nil) above target; error: conflict",
      },
    ],
    status: { desiredReplicas: 2, lastScaleTime: "2026-01-01T10:00:00Z" },
  });
  expect(condition(decision, "AbleToScale")).toMatchObject({
    status: "False",
    reason: "FailedUpdateScale",
    lastTransitionTime: "2026-01-01T12:00:00Z",
  });
  expect(condition(decision, "ScaledToZero")).toBeUndefined();
  expect(withFailedRescale({ decision, memory }, "again")).toEqual({ decision, memory });
});

test("a failed write leaves ScaledToZero as it was stored, also where the decision dropped it", () => {
  const conditions = [
    { type: "AbleToScale", status: "True", reason: "ReadyForNewScale", message: "" },
    { type: "ScaledToZero", status: "True", reason: "ScaledToZero", message: "" },
  ] as const;
  for (const scaleToZero of [true, false]) {
    const hpa = { ...hpaOf({}), status: { desiredReplicas: 2, currentReplicas: 2, conditions } };
    const result = decide({ ...externalInput("35", 2), hpa, options: { scaleToZero } });
    expect(condition(result.decision, "ScaledToZero")?.status).toBe(scaleToZero ? "False" : undefined);
    const { decision } = withFailedRescale(result, "conflict");
    expect(condition(decision, "ScaledToZero")).toEqual(conditions[1]);
    expect(decision.status.conditions).toHaveLength(4);
    expect(decision.trace.at(-1)).toMatchObject({
      kind: "result",
      action: "error",
      desiredReplicas: 2,
      error: "failed to rescale Deployment/shop/web: conflict",
    });
    expect(decision.trace.slice(0, -1)).toEqual(result.decision.trace.slice(0, -1));
  }
});
