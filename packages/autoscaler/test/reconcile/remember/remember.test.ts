import { expect, test } from "vitest";
import type { Applied } from "../../../src/reconcile/act/applied.ts";
import type { StatusWritten } from "../../../src/reconcile/act/write-status.ts";
import type { Plan } from "../../../src/reconcile/evaluate/plan.ts";
import { afterEvaluation, afterStatusWritten, remember } from "../../../src/reconcile/remember/remember.ts";
import { createStates, type ObjectState } from "../../../src/reconcile/remember/state.ts";
import { emptyState, hpaObject, nowMs, observed, planned, wlaObject } from "../observations.ts";

const clock = { nowMs: () => nowMs + 500, after: () => () => undefined };
const active = planned(observed(6));
const shadow = planned(observed(6), { manageHpas: "none" });

function appliedTo(plan: Plan, change: Partial<Applied> = {}): Applied {
  return {
    outcome: plan.outcome,
    result: plan.result,
    scaleFailure: plan.failure,
    scaledAtMs: undefined,
    retryAfterMs: undefined,
    failure: undefined,
    ...change,
  };
}

const after = (plan: Plan, change: Partial<Applied> = {}, before: Partial<ObjectState> = {}) =>
  afterEvaluation({ ...emptyState, ...before }, { plan, applied: appliedTo(plan, change) }, nowMs);

test("an evaluation ends with the state that it found and the one that it left, in the same term", () => {
  const states = createStates(() => true);
  const state = states.of("default/shop", hpaObject());
  const plan = planned({ ...observed(6), state });
  // A status that was stored meanwhile.
  states.update(state, (now) => ({ ...now, statusFailure: "no" }));
  const evaluation = remember(plan, appliedTo(plan, { retryAfterMs: 2000 }), { states, clock });
  expect(evaluation).toMatchObject({
    before: { statusFailure: "no" },
    after: { statusFailure: "no", failure: "no", skipUntilMs: nowMs + 2500 },
    tookMs: 1500,
    skipMs: 2000,
  });
  expect(states.of("default/shop", hpaObject())).toBe(evaluation?.after);
  const calm = remember(plan, appliedTo(plan), { states, clock });
  expect(calm?.skipMs).toBe(0);
  expect(remember(plan, appliedTo(plan, { outcome: "fenced" }), { states, clock })).toBeUndefined();
  states.reset("default/shop");
  expect(remember(plan, appliedTo(plan), { states, clock })).toBeUndefined();
});

const lastScale = { replicas: 5, atMs: nowMs - 1000 };
const known = { ...active, conflict: { ...active.conflict, lastScale } };

test.each<[what: string, plan: Plan, change: Partial<Applied>, lastScale: ObjectState["lastScale"]]>([
  ["a scale", known, { outcome: "scaled", scaledAtMs: nowMs - 20 }, { replicas: 6, atMs: nowMs - 20 }],
  ["a scale of unknown time", known, { outcome: "scaled" }, { replicas: 6, atMs: nowMs }],
  ["no scale", known, {}, lastScale],
  ["a scale that failed", known, { outcome: "scale-failed", scaleFailure: { message: "no" } }, lastScale],
  [
    "a scale that may have been made",
    known,
    { outcome: "scale-failed", scaleFailure: { message: "no", isUncertain: true } },
    undefined,
  ],
  ["an evaluation in shadow", { ...shadow, conflict: known.conflict }, {}, undefined],
])("the replicas that others may undo after %s", (_, plan, change, expected) => {
  expect(after(plan, change).lastScale).toEqual(expected);
});

const writes = {
  lastWritten: hpaObject({ status: { desiredReplicas: 1 } }),
  pendingStatus: { currentReplicas: 4 } as never,
  isStatusUncertain: true,
  statusFailure: "no",
};

test.each<[what: string, plan: Plan, isOurs: boolean]>([
  ["of an HPA that we manage", active, true],
  ["of an HPA in shadow", shadow, false],
  [
    "of a WorkloadAutoscaler in shadow",
    planned(observed(6, { object: wlaObject({ spec: { mode: "Shadow" } }) })),
    true,
  ],
])("what is known of our status writes %s is kept: %s", (_, plan, isOurs) => {
  const none = {
    lastWritten: undefined,
    pendingStatus: undefined,
    isStatusUncertain: false,
    statusFailure: undefined,
  };
  const { lastWritten, pendingStatus, isStatusUncertain, statusFailure } = after(plan, {}, writes);
  const { stored } = plan.observation;
  expect({ lastWritten, pendingStatus, isStatusUncertain, statusFailure }).toEqual(
    isOurs ? { ...writes, lastWritten: stored } : none,
  );
});

test("our own write is kept until the watch shows it, and then as one object with what it shows", () => {
  const { stored } = active.observation;
  const keeps = (metadata: object) => {
    const lastWritten = { ...stored, metadata: { ...stored.metadata, ...metadata } };
    return after(active, {}, { lastWritten }).lastWritten === lastWritten;
  };
  expect([keeps({}), keeps({ resourceVersion: "6" }), keeps({ uid: "u2" })]).toEqual([false, true, true]);
  expect(after(active).lastWritten).toBeUndefined();
});

const unread = planned(observed(6, { scale: { ok: false, message: "no route" } }));

test.each<
  [
    what: string,
    plan: Plan,
    before: Partial<ObjectState>,
    kept: readonly [isManaged: boolean, hasMemory: boolean],
  ]
>([
  ["first scale of an object", active, {}, [true, true]],
  ["object without a scale", unread, {}, [false, false]],
  ["known object without a scale", unread, { isManaged: true, memory: active.result.memory }, [true, true]],
  ["object in shadow", shadow, { isManaged: true }, [false, true]],
])("after the %s", (_, plan, before, kept) => {
  const state = after(plan, {}, before);
  expect([state.isManaged, state.memory !== undefined]).toEqual(kept);
});

test("what the next evaluation needs of this one is kept", () => {
  const { held, conflict } = active;
  const contest = { by: "helm" } as never;
  const suspect = { count: 1 } as never;
  const yielded = { by: "keda" } as never;
  const plan = { ...active, conflict: { ...conflict, contest, suspect, yielded } };
  expect(after(plan)).toMatchObject({ held, contest, suspect, yielded, memory: active.result.memory });
});

test.each<
  [what: string, change: Partial<Applied>, before: Partial<ObjectState>, failure: string | undefined]
>([
  ["none", {}, {}, undefined],
  ["of the write", { failure: "no" }, { statusFailure: "before" }, "no"],
  ["of the status before", { result: unread.result }, { statusFailure: "before" }, "before"],
  ["of the decision", { result: unread.result }, {}, expect.stringContaining("no route")],
])("the failure that is reported: %s", (_, change, before, failure) => {
  expect(after(active, change, before).failure).toEqual(failure);
});

test("the Retry-After of a write, or else of a read, holds the next period up", () => {
  const read = planned(observed(6, { retryAfterMs: 3000 }));
  expect(after(active).skipUntilMs).toBe(nowMs);
  expect(after(read).skipUntilMs).toBe(nowMs + 3000);
  expect(after(read, { retryAfterMs: 1000 }).skipUntilMs).toBe(nowMs + 1000);
});

const status = { currentReplicas: 4 } as never;
const newer = { currentReplicas: 5 } as never;
const waiting: ObjectState = { ...emptyState, ...writes, pendingStatus: status, skipUntilMs: 7 };
const end = { status, failure: "the API server is away", wasUncertain: false };
const lost: StatusWritten = { result: "failed", message: "no", retryAfterMs: undefined, isUncertain: true };

test("a status that is stored, or whose object is gone, waits no more; a newer one still does", () => {
  const object = hpaObject({ status: { desiredReplicas: 4 } });
  const settled = {
    ...waiting,
    pendingStatus: undefined,
    isStatusUncertain: false,
    statusFailure: undefined,
  };
  const ended = (written: StatusWritten, state = waiting) =>
    afterStatusWritten(state, { ...end, written }, nowMs);
  expect(ended({ result: "written", object })).toEqual({ ...settled, lastWritten: object, hasStored: true });
  expect(ended({ result: "stored-already", object })).toEqual({ ...settled, lastWritten: object });
  expect(ended({ result: "gone" })).toEqual(settled);
  const replaced = ended({ result: "written", object }, { ...waiting, pendingStatus: newer });
  expect(replaced.pendingStatus).toBe(newer);
});

test.each([
  [false, false, false],
  [false, true, true],
  [true, false, true],
  [true, true, true],
])(
  "a status whose write failed waits on; may it be stored (before: %s, now: %s)? %s",
  (wasUncertain, isUncertain, is) => {
    const written = { ...lost, isUncertain };
    expect(afterStatusWritten(waiting, { ...end, written, wasUncertain }, nowMs)).toEqual({
      ...waiting,
      isStatusUncertain: is,
      statusFailure: "the API server is away",
    });
  },
);

test("a server that wants to be left alone after a status write holds the next period up", () => {
  const written = { ...lost, retryAfterMs: 3000 };
  expect(afterStatusWritten(waiting, { ...end, written }, nowMs).skipUntilMs).toBe(nowMs + 3000);
});
