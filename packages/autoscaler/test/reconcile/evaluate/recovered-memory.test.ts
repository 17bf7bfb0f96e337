import { expect, test } from "vitest";
import { packMemory } from "../../../src/decisions/packed-memory.ts";
import { memoryOf } from "../../../src/reconcile/evaluate/evaluate.ts";
import { emptyState, hpaObject, nowMs, observed } from "../observations.ts";

const behavior = { scaleUp: { policies: [{ type: "Pods", value: 4, periodSeconds: 60 }] } };
const conditions = [{ type: "AbleToScale", status: "True" }];
const agoMs = (ms: number) => new Date(nowMs - ms).toISOString();
/** Another process scaled it from 2 to 4, ten seconds ago. */
const object = hpaObject({
  spec: { behavior },
  status: { currentReplicas: 2, desiredReplicas: 4, lastScaleTime: agoMs(10_000), conditions },
});
const seen = observed(4, { object });
const memory = {
  recommendations: [1, 2, 3, 4, 5].map((replicas) => ({ replicas, atMs: nowMs })),
  scaleUpEvents: [],
  scaleDownEvents: [],
};
const history = { lastScaleMs: nowMs - 9000, untilMs: nowMs + 51_000 };
const recovered = {
  recommendations: [],
  scaleUpEvents: [{ change: 2, atMs: nowMs - 10_000 }],
  scaleDownEvents: [],
};

test("an object that is new to us has the memory that can be recovered", () => {
  expect(memoryOf(seen, emptyState, "active")).toEqual({ ...recovered, unknownHistory: history });
});

test("an object that we have managed has its own memory, and so has one without a scale", () => {
  const state = { ...emptyState, memory: packMemory(memory) };
  expect(memoryOf(seen, { ...state, isManaged: true }, "active")).toEqual(memory);
  const scale = { ok: false, message: "no" } as const;
  expect(memoryOf({ ...seen, scale }, state, "active")).toEqual(memory);
  expect(memoryOf({ ...seen, scale }, emptyState, "active")).toBeUndefined();
});

test("one that we only watched until now has its own memory, and a history that is unknown", () => {
  const known = { ...emptyState, memory: { ...memory, unknownHistory: { lastScaleMs: 1, untilMs: 2 } } };
  expect(memoryOf(seen, known, "active")).toEqual({ ...memory, unknownHistory: history });
  expect(memoryOf(seen, { ...known, isManaged: true }, "shadow")).toEqual(memory);
});

test("in shadow replicas that no status announced were set by a person", () => {
  const scale = { ok: true, specReplicas: 6, statusReplicas: 6, selector: "" } as const;
  expect(memoryOf({ ...seen, scale }, emptyState, "shadow")).toEqual(recovered);
  expect(memoryOf({ ...seen, scale }, emptyState, "active")?.scaleUpEvents).toEqual([
    { change: 2, atMs: nowMs },
  ]);
  const without = observed(4, { object: hpaObject({ status: { currentReplicas: 2, conditions } }) });
  expect(memoryOf(without, emptyState, "shadow")).toBeUndefined();
});

test.each([
  ["kube-controller-manager", nowMs - 4000],
  ["plimsoll-autoscaler", nowMs - 4000],
  ["kubectl", nowMs],
])("replicas that %s wrote after the status are as old as that write, if it scales", (manager, atMs) => {
  const scale = { ok: true, specReplicas: 6, statusReplicas: 6, selector: "" } as const;
  const replicasWriter = { manager, at: agoMs(5000) };
  expect(memoryOf({ ...seen, scale, replicasWriter }, emptyState, "active")?.scaleUpEvents).toEqual([
    { change: 2, atMs },
  ]);
});
