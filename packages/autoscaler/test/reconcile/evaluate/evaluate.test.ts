import { expect, test } from "vitest";
import { wlaOf } from "../../../src/objects/scaling-object.ts";
import type { Contest } from "../../../src/reconcile/conflicts/conflict.ts";
import { withScaleFailure } from "../../../src/reconcile/evaluate/evaluate.ts";
import type { Observation } from "../../../src/reconcile/observe.ts";
import { hpaObject, nowMs, observed, planned, wlaObject } from "../observations.ts";

const theirs = { currentReplicas: 4, desiredReplicas: 9, conditions: [] };
const written = {
  ...hpaObject({ status: { desiredReplicas: 4 } }),
  metadata: { resourceVersion: "4", uid: "u1" },
};
const taken = observed(6, {
  object: hpaObject({ status: theirs }),
  state: { lastWritten: written as never },
});

test.each<[what: string, observation: Observation, mode: string, scaleTo: number | undefined]>([
  ["that we manage is scaled", observed(6), "active", 6],
  ["that is right as it is", observed(4), "active", undefined],
  ["that another controller has taken", taken, "shadow", undefined],
  [
    "that only watches",
    observed(6, { object: wlaObject({ spec: { mode: "Shadow" } }) }),
    "shadow",
    undefined,
  ],
])("a target %s", (_, observation, mode, scaleTo) => {
  const outcome = mode === "shadow" ? "shadow" : "nothing-to-do";
  expect(planned(observation)).toMatchObject({ mode, outcome, failure: undefined });
  expect(planned(observation).scaleTo).toBe(scaleTo);
});

test("an HPA that we do not manage is decided, and not scaled", () => {
  const plan = planned(observed(6), { manageHpas: "none" });
  expect(plan).toMatchObject({
    mode: "shadow",
    outcome: "shadow",
    input: { mode: "Shadow" },
    writesStatus: false,
  });
  expect([plan.scaleTo, plan.decided.decision.scaleTo, plan.events]).toEqual([undefined, 6, []]);
});

test("the first look at a foreign status warns and yields; the next ones only follow", () => {
  const first = planned(taken);
  expect(first.events).toEqual([
    {
      type: "Warning",
      reason: "ForeignWriter",
      message: expect.stringContaining("has written the status once"),
    },
  ]);
  const { yielded } = first.conflict;
  const next = planned({ ...taken, state: { ...taken.state, yielded } });
  expect(next).toMatchObject({ mode: "shadow", events: [], writesStatus: false, conflict: { yielded } });
});

test("a WorkloadAutoscaler says once who has it, and then nothing until it is ours", () => {
  const object = wlaObject({ status: theirs });
  const first = planned(observed(6, { object, state: { lastWritten: written as never } }));
  expect(first).toMatchObject({ writesStatus: true, events: [{ reason: "ForeignWriter" }] });
  expect(first.result.decision.status.conditions).toContainEqual(
    expect.objectContaining({ type: "Active", reason: "ForeignWriter" }),
  );
  const { yielded } = first.conflict;
  expect(planned(observed(6, { object, state: { yielded } }))).toMatchObject({
    writesStatus: false,
    events: [],
  });
});

test("a status that waits to be written is written, though the decision changes nothing", () => {
  const { status } = planned(observed(4)).result.decision;
  const object = hpaObject({ status });
  expect(planned(observed(4, { object })).writesStatus).toBe(false);
  expect(planned(observed(4, { object, state: { pendingStatus: status } })).writesStatus).toBe(true);
});

const contest: Contest = {
  by: "helm",
  sinceMs: nowMs - 60_000,
  lastMs: nowMs - 60_000,
  count: 3,
  highest: 7,
  nextWriteMs: nowMs + 1,
  quietMs: nowMs + 90_000,
};
const reading = (specReplicas: number) =>
  ({ ok: true, specReplicas, statusReplicas: specReplicas, selector: "app=shop" }) as const;
/** The metrics called for so few replicas before. */
const few = {
  memory: {
    recommendations: [{ replicas: 2, atMs: nowMs - 1000 }],
    scaleUpEvents: [],
    scaleDownEvents: [],
  },
};
const contested = (specReplicas: number, wanted: number, change: Partial<Contest> = {}) =>
  observed(wanted, { scale: reading(specReplicas), state: { ...few, contest: { ...contest, ...change } } });
const waits =
  "helm changed the replicas back 3 times since 2029-12-31T23:59:00Z; next attempt at 2030-01-01T00:00:00Z. Remove spec.replicas from the manifest that helm applies";

test.each<[what: string, observation: Observation, message: string | undefined]>([
  ["one that is undone waits", contested(4, 6), waits],
  ["one whose time has come does not", contested(4, 6, { nextWriteMs: nowMs }), undefined],
  ["one at the minimum waits", contested(2, 6), waits],
  ["one below the minimum does not", contested(1, 6), undefined],
  ["one at the maximum waits", contested(8, 6), waits],
  ["one above the maximum does not", contested(9, 6), undefined],
  [
    "one for two objects",
    observed(6, { conflictingObjects: ["a/b", "a/c"] }),
    "several objects scale this target: a/b a/c",
  ],
  [
    "one down without a pod that cannot be read",
    observed(2, { state: few, unreadPod: "the pod a" }),
    "not scaled down: the pod a",
  ],
  ["one up without it is made", observed(6, { unreadPod: "the pod a" }), undefined],
])("of scales, %s", (_, observation, message) => {
  const plan = planned(observation);
  const isMade = message === undefined;
  expect(plan.failure).toEqual(isMade ? undefined : { message });
  expect(plan.outcome).toBe(isMade ? "nothing-to-do" : "withheld");
  expect(plan.scaleTo).toBe(isMade ? plan.decided.decision.scaleTo : undefined);
  expect(plan.decided.decision.scaleTo).toBeDefined();
  const able = plan.result.decision.status.conditions.find(({ type }) => type === "AbleToScale");
  expect(able?.status).toBe(isMade ? "True" : "False");
});

test("a failed scale does not count; one whose response was lost may count", () => {
  const plan = planned(observed(6));
  const failed = withScaleFailure(plan, { message: "no" });
  expect(failed).toMatchObject({ failure: { message: "no" }, scaleTo: 6, decided: plan.decided });
  expect(failed.events).toMatchObject([{ reason: "FailedRescale" }]);
  expect(failed.result.memory.unconfirmedScale).toBeUndefined();
  const lost = withScaleFailure(plan, { message: "no", isUncertain: true });
  expect(lost.result.memory.unconfirmedScale).toMatchObject({ replicas: 6 });
});

test("the status says who undoes our writes, while that lasts and we manage the object", () => {
  const reports = (observation: Observation, manageHpas: "all" | "none" = "all") =>
    JSON.stringify(planned(observation, { manageHpas }).result.decision.status).includes(
      "Another client: helm",
    );
  expect(reports(contested(4, 4))).toBe(true);
  expect(reports(contested(4, 4, { quietMs: nowMs }))).toBe(false);
  expect(reports(contested(4, 4), "none")).toBe(false);
});

test("core sees of an HPA what counts, and the options of the process", () => {
  const object = hpaObject({ status: theirs });
  const annotated = { ...object, metadata: { ...object.metadata, annotations: { note: "long" } } };
  const { input } = planned(observed(6, { object: annotated }));
  expect(input).toEqual({
    nowMs,
    scale: reading(4),
    pods: { ok: true, pods: [] },
    samples: [{ values: [{ value: "6" }] }],
    hpa: {
      kind: "HorizontalPodAutoscaler",
      metadata: { namespace: "default", name: "shop", uid: "u1", generation: 2 },
      spec: object.spec,
      status: theirs,
    },
    options: { downscaleStabilizationMs: 0 },
    mode: "Active",
  });
  expect(planned(observed(6, { ambiguousWith: ["a/b", "a/c"] })).input.ambiguousWith).toEqual(["a/b", "a/c"]);
});

test.each([
  [{ mode: "Active" }, "Active"],
  [{ mode: "Shadow" }, "Shadow"],
  [{ mode: "Paused" }, "Paused"],
  [{ mode: "Active", maxReplicas: 0 }, "Shadow"],
])("core sees of a WorkloadAutoscaler with %j: mode %s, and what it has beyond an HPA", (change, mode) => {
  const spec = { tuning: { syncPeriodSeconds: 5, tolerance: 0.5 }, ...change };
  const conditions = [
    { type: "Ready", status: "True" },
    { type: "AbleToScale", status: "True" },
  ];
  const object = wlaObject({ spec, status: { conditions } });
  const scheduled = { isWithoutMetrics: false };
  const { input } = planned(
    observed(6, { object: { ...object, wla: { ...wlaOf(object), scheduled } } as never }),
    {
      decide: () => planned(observed(6)).decided,
    },
  );
  expect(input).toMatchObject({
    mode,
    options: { downscaleStabilizationMs: 0, tolerance: 0.5 },
    schedules: scheduled,
    failurePolicies: [{ policy: "Block" }],
    hpa: { status: { conditions: [{ type: "AbleToScale", status: "True" }] } },
  });
  expect(input.options).not.toHaveProperty("syncPeriodMs");
});

const shown = (spec: object, change: Partial<Observation> = {}) =>
  planned(observed(6, { object: wlaObject({ spec }), ...change })).result.decision.status;
const said = (type: string, reason: string, message: string) =>
  expect.objectContaining({ type, reason, message: expect.stringContaining(message) as string }) as object;

test("a WorkloadAutoscaler shows its targets, and why it does not scale", () => {
  expect(shown({})).toMatchObject({ targets: "1500m/1 (avg)" });
  const until = "2030-01-02T00:00:00Z";
  expect(shown({ mode: "Paused", pause: { reason: "sale", until } }).conditions).toContainEqual(
    said("Paused", "Paused", "paused until 2030-01-02T00:00:00.000Z: sale"),
  );
  expect(shown({}, { conflictingObjects: ["a/b", "a/c"] }).conditions).toContainEqual(
    said("Active", "SharedTarget", "a/b a/c"),
  );
});

test("a refused specification shows its problems, once as an event, and no targets", () => {
  const plan = planned(observed(6, { object: wlaObject({ spec: { maxReplicas: 0 } }) }));
  const { status } = plan.result.decision;
  expect(status).toMatchObject({ targets: "<unknown>" });
  expect(status.conditions).toContainEqual(said("Ready", "InvalidSpec", "spec.maxReplicas"));
  expect(plan).toMatchObject({ mode: "shadow", writesStatus: true, events: [{ reason: "InvalidSpec" }] });
});

test("waits against other writers use the sync period of the object", () => {
  const lastScale = { replicas: 6, atMs: nowMs - 100_000 };
  const object = wlaObject({ spec: { tuning: { syncPeriodSeconds: 60 } } });
  const conflictOf = (observation: Observation) => planned(observation).conflict.overwritten;
  expect(conflictOf(observed(6, { object, state: { lastScale } }))).toEqual({
    wrote: 6,
    found: 4,
    manager: undefined,
  });
  expect(conflictOf(observed(6, { state: { lastScale } }))).toBeUndefined();
});

test("without a scale nothing is known of what others undo: it stays as it was", () => {
  const lastScale = { replicas: 6, atMs: nowMs - 1000 };
  const scale = { ok: false, message: "no route" } as const;
  const { conflict, scaleTo } = planned(observed(6, { scale, state: { lastScale, contest } }));
  expect([conflict, scaleTo]).toEqual([
    { yielded: undefined, suspect: undefined, contest, overwritten: undefined, lastScale },
    undefined,
  ]);
});
