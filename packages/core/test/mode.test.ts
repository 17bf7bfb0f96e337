import { expect, test } from "vitest";
import { type DecideInput, type DecisionMode, decide, explain, withFailedRescale } from "../src/index.ts";
import { externalInput, hpaOf, nowMs } from "./fixtures.ts";

const behavior = { scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 60 }] } };
const metrics = externalInput("20", 3).hpa.spec.metrics;

function input(
  mode: DecisionMode | undefined,
  replicas: number,
  extra: Partial<DecideInput> = {},
): DecideInput {
  const hpa = { ...hpaOf({ metrics, behavior }), kind: "WorkloadAutoscaler" };
  const scale = { ok: true, specReplicas: replicas, statusReplicas: replicas, selector: "app=web" } as const;
  return { ...externalInput("90", replicas, { hpa, scale }), mode, ...extra };
}

test("Active is the default", () => {
  expect(decide(input("Active", 3))).toEqual(decide(input(undefined, 3)));
});

test.each(["Shadow", "Paused"] as const)("%s decides, and the status records no scale", (mode) => {
  const lastScaleTime = "2026-01-01T11:00:00Z";
  const condition = {
    type: "ScaledToZero",
    status: "False",
    reason: "NotScaledToZero",
    message: "",
  } as const;
  const decideInput = input(mode, 3);
  const status = { lastScaleTime, currentReplicas: 3, desiredReplicas: 3, conditions: [condition] };
  const { decision } = decide({ ...decideInput, hpa: { ...decideInput.hpa, status } });
  expect(decision).toMatchObject({ scaleTo: 5, desiredReplicas: 5, events: [], status: { lastScaleTime } });
  expect(decision.status.conditions).toContainEqual(
    expect.objectContaining({
      type: "AbleToScale",
      status: "True",
      reason: "WouldScale",
      message: "would update the target scale to 5",
    }),
  );
  expect(decision.status.conditions).toContainEqual(condition);
  expect(decision.trace).toContainEqual({ kind: "mode", mode, scaleTo: 5 });
  expect(explain(decision)).toMatch(/^Would scale up from 3 to 5/);
  const settled = decide({ ...decideInput, hpa: { ...decideInput.hpa, status: decision.status } });
  expect(settled.decision.statusChanged).toBe(false);
});

test("Shadow writes the status of a HorizontalPodAutoscaler that the built-in controller writes", () => {
  const ofKind = (mode: DecisionMode) => {
    const decideInput = input(mode, 3);
    return decide({ ...decideInput, hpa: { ...decideInput.hpa, kind: "HorizontalPodAutoscaler" } }).decision;
  };
  const shadow = ofKind("Shadow");
  expect(shadow.status).toEqual(ofKind("Active").status);
  expect(shadow.trace).toContainEqual({ kind: "mode", mode: "Shadow", scaleTo: 5 });
  expect(explain(shadow)).toMatch(/^Would scale up from 3 to 5/);
});

test("a mode without a scale leaves no step", () => {
  const { decision } = decide({ ...input("Shadow", 9), nowMs });
  expect(decision.scaleTo).toBeUndefined();
  expect(decision.trace.some(({ kind }) => kind === "mode")).toBe(false);
});

test.each([
  { found: 5, isMade: true, scaleTo: undefined },
  { found: 3, isMade: false, scaleTo: 5 },
])("a scale that another controller makes uses up policies: $isMade", ({ found, isMade, scaleTo }) => {
  const { memory } = decide(input("Shadow", 3));
  const next = decide(input("Shadow", found, { nowMs: nowMs + 15_000 }), memory);
  expect(next.decision.scaleTo).toBe(scaleTo);
  expect(next.decision.trace).toContainEqual({ kind: "unconfirmed-scale", replicas: 5, isMade });
});

test("it stays open while the scale cannot be read", () => {
  const { memory } = decide(input("Shadow", 3));
  const unread = decide(input("Shadow", 3, { scale: { ok: false, message: "down" } }), memory);
  expect(unread.memory).toEqual(memory);
});

test("a write that ended without a response is settled by what is found next", () => {
  const uncertain = withFailedRescale(decide(input("Active", 3)), "timeout", true);
  expect(uncertain.decision.scaleTo).toBeUndefined();
  const next = (found: number) => decide(input("Active", found, { nowMs: nowMs + 15_000 }), uncertain.memory);
  expect(next(5).decision.scaleTo).toBeUndefined();
  expect(next(5).memory.scaleUpEvents).toEqual([{ change: 2, atMs: nowMs }]);
  expect(next(3).decision.scaleTo).toBe(5);
  expect(next(3).memory).not.toHaveProperty("unconfirmedScale");
});
