import { type DecideInput, type Decision, decide } from "@plimsoll/core";
import { expect, test } from "vitest";
import {
  refusalEvents,
  storedQueries,
  type WlaState,
  withConditions,
  withoutOwn,
  zeroEvents,
} from "../../../src/reconcile/evaluate/own-conditions.ts";

const nowMs = Date.parse("2026-11-22T10:00:00Z");
const now = "2026-11-22T10:00:00Z";
const calm: WlaState = {
  mode: "Active",
  pauseReason: undefined,
  pausedUntilMs: undefined,
  problem: undefined,
  yielded: undefined,
  conflictingObjects: [],
  targets: "6/1",
  queries: [],
};

/** Four replicas, whose metric calls for this number. */
function decided(wanted: number, more: Partial<DecideInput> = {}): Decision {
  return decide({
    nowMs,
    hpa: {
      metadata: { name: "shop", namespace: "default" },
      spec: {
        scaleTargetRef: { kind: "Deployment", name: "shop" },
        minReplicas: 2,
        maxReplicas: 8,
        metrics: [
          {
            type: "External",
            external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "1" } },
          },
        ],
      },
    },
    scale: { ok: true, specReplicas: 4, statusReplicas: 4, selector: "app=shop" },
    pods: { ok: true, pods: [] },
    samples: [{ values: [{ value: String(wanted) }] }],
    ...more,
  }).decision;
}

const own = (state: Partial<WlaState>, decision = decided(6)): Readonly<Record<string, string>> => {
  const { status } = withConditions(decision, undefined, { state: { ...calm, ...state }, nowMs });
  const said = status.conditions.map((one) => [one.type, `${one.status} ${one.reason}: ${one.message}`]);
  return Object.fromEntries(said.slice(0, 5)) as Record<string, string>;
};

test("an object that scales its target says so", () => {
  expect(own({})).toEqual({
    Ready: "True Evaluated: the last evaluation succeeded",
    Active: "True Managing: managing the target's replicas",
    Paused: "False NotPaused: not paused",
    Fallback: "False NoMetricFailurePolicy: no fallback policy in use",
    Held: "False NotHeld: replicas are not held",
  });
});

test.each<[state: Partial<WlaState>, active: string]>([
  [{ mode: "Shadow" }, "False ShadowMode: deciding without scaling"],
  [{ yielded: "keda has written the status" }, "False ForeignWriter: keda has written the status"],
  [{ conflictingObjects: ["a/b", "a/c"] }, "False SharedTarget: a/b a/c scale the same target"],
  [{ mode: "Paused" }, "False Paused: paused"],
  [{ mode: "Paused", pauseReason: "" }, "False Paused: paused"],
  [
    { mode: "Paused", pauseReason: "sale", pausedUntilMs: nowMs },
    "False Paused: paused until 2026-11-22T10:00:00.000Z: sale",
  ],
])("of %j, Active is %j", (state, active) => {
  const conditions = own(state);
  expect(conditions["Active"]?.startsWith(active)).toBe(true);
  expect(conditions["Paused"]).toBe(
    state.mode === "Paused" ? active.replace("False", "True") : "False NotPaused: not paused",
  );
});

test("an invalid specification, and a metric that cannot be read, are not ready", () => {
  const refused = own({ problem: "spec.mode: no" });
  expect(refused["Ready"]).toMatch(/^False InvalidSpec: spec\.mode: no/);
  expect(refused["Active"]).toMatch(/^False InvalidSpec: not scaling: the spec is invalid/);
  const failed = own({}, decided(6, { samples: [{ error: "the broker is away" }] }));
  expect(failed["Ready"]).toMatch(/^False FailedGetExternalMetric: .*the broker is away/);
  expect(failed["Active"]).toMatch(/^True Managing/);
});

test("a separate condition says why the replicas are held", () => {
  expect(own({}, decided(20))["Held"]).toBe(
    "True Max: scaling to 8 replicas only: metrics call for 20, but maxReplicas is 8",
  );
});

test("a metric that a policy replaces shows in a condition, and one whose policy is not applied does not", () => {
  const policies = [{ policy: "Fallback", replicas: 5 }, { policy: "Ignore" }] as const;
  const trace = policies.map((policy, index) => ({
    kind: "failure-policy",
    index,
    isApplied: true,
    ...policy,
  }));
  const [first, second] = trace;
  const decision = { ...decided(6), trace: [...decided(6).trace, ...trace] } as Decision;
  expect(own({}, decision)["Fallback"]).toMatch(
    /^True MetricFailurePolicy: metric 0: Fallback, .+; metric 1: Ignore, .+$/,
  );
  const idle = {
    ...decision,
    trace: [...decided(6).trace, { ...first, isApplied: false }, second],
  } as Decision;
  expect(own({}, idle)["Fallback"]).toMatch(/^True MetricFailurePolicy: metric 1: Ignore, [^;]+$/);
});

test.each([
  ["AbleToScale", "False", "FailedGetScale", "False FailedGetScale: m"],
  ["ScalingActive", "False", "ScalingDisabled", "False ScalingDisabled: m"],
  ["ScalingActive", "Unknown", "ScalingDisabled", "True Evaluated: the last evaluation succeeded"],
  ["AbleToScale", "False", "BackoffBoth", "True Evaluated: the last evaluation succeeded"],
  ["AbleToScale", "False", "NoBackoff", "False NoBackoff: m"],
  ["ScalingLimited", "False", "TooFewReplicas", "True Evaluated: the last evaluation succeeded"],
])("with %s %s for %s, Ready is %s", (type, status, reason, ready) => {
  const condition = { type, status, reason, message: "m", lastTransitionTime: now };
  const decision = decided(6);
  const one = { ...decision, status: { ...decision.status, conditions: [condition] } } as Decision;
  expect(own({}, one)["Ready"]?.startsWith(ready)).toBe(true);
});

test("why replicas are held is written when another step holds them, and not for a new time or number", () => {
  const write = (decision: Decision, stored?: Decision["status"]) => {
    const result = withConditions({ ...decision, statusChanged: false }, stored, { state: calm, nowMs });
    return { ...result, held: result.status.conditions.find(({ type }) => type === "Held") };
  };
  const first = write(decided(20));
  const again = write(decided(30), first.status);
  expect([again.held?.message, again.statusChanged]).toEqual([first.held?.message, false]);
  const low = write(decided(1), first.status);
  expect(low.statusChanged).toBe(true);
  const message = expect.stringContaining("stabilization window") as string;
  expect(low.held).toMatchObject({ status: "True", reason: "Stabilize", message });
  // What another client left without a message, or wrote under another status, is replaced.
  for (const change of [{ message: undefined }, { status: "False" }]) {
    const conditions = first.status.conditions.map((one) =>
      one.type === "Held" ? { ...one, ...change } : one,
    );
    const replaced = write(decided(30), { ...first.status, conditions } as never);
    expect([replaced.statusChanged, replaced.held?.message]).toEqual([
      true,
      expect.stringContaining("metrics call for 30"),
    ]);
  }
});

test("a condition without a time gets one, and a new reason or message is written", () => {
  const first = withConditions(decided(4), undefined, { state: calm, nowMs }).status;
  const stored = (change: object) =>
    ({ ...first, conditions: first.conditions.map((one) => ({ ...one, ...change })) }) as never;
  const later = { state: calm, nowMs: nowMs + 60_000 };
  const unchanged = { ...decided(4), statusChanged: false };
  const timeless = withConditions(unchanged, stored({ lastTransitionTime: null }), later);
  expect([timeless.statusChanged, timeless.status.conditions[0]?.lastTransitionTime]).toEqual([
    false,
    "2026-11-22T10:01:00Z",
  ]);
  for (const change of [{ reason: "Other" }, { message: "other" }])
    expect(withConditions(unchanged, stored(change), later).statusChanged).toBe(true);
  const queries = [{ name: "query[0]", metric: "q", conditions: [] }];
  const queried = withConditions(unchanged, first, { ...later, state: { ...calm, queries } });
  expect([queried.statusChanged, queried.status]).toEqual([true, expect.objectContaining({ queries })]);
  expect(first).not.toHaveProperty("queries");
  expect(
    withConditions(unchanged, { ...queried.status }, { ...later, state: { ...calm, queries } }).statusChanged,
  ).toBe(false);
});

test("a condition whose status stays keeps its time and causes no write", () => {
  const first = withConditions(decided(4), undefined, { state: calm, nowMs });
  expect(first.statusChanged).toBe(true);
  expect(first.status.conditions[0]).toMatchObject({ type: "Ready", lastTransitionTime: now });
  const later = { state: calm, nowMs: nowMs + 60_500 };
  const unchanged = { ...decided(4), statusChanged: false };
  const again = withConditions(unchanged, first.status, later);
  expect([again.statusChanged, again.status.conditions[0]?.lastTransitionTime]).toEqual([false, now]);
  const paused = withConditions(unchanged, first.status, {
    ...later,
    state: { ...calm, mode: "Paused" as const },
  });
  expect(paused.statusChanged).toBe(true);
  expect(paused.status.conditions[2]).toMatchObject({
    type: "Paused",
    lastTransitionTime: "2026-11-22T10:01:00Z",
  });
  const moved = withConditions(unchanged, first.status, { ...later, state: { ...calm, targets: "7/1" } });
  expect(moved.statusChanged).toBe(true);
  const { targets: _, ...dropped } = first.status as { targets?: string } & typeof first.status;
  expect(withConditions(unchanged, dropped, later).statusChanged).toBe(false);
});

test("the math sees a stored status without the conditions that are ours", () => {
  const { status } = withConditions(decided(4), undefined, { state: calm, nowMs });
  expect(withoutOwn(status)?.conditions).toEqual(decided(4).status.conditions);
  expect(withoutOwn(undefined)).toBeUndefined();
  expect(withoutOwn({ ...status, conditions: null })).toMatchObject({ conditions: null });
  expect(withoutOwn({})).toEqual({});
});

test("stored queries that another client left incomplete are none", () => {
  const query = { name: "0", metric: "q", conditions: [] };
  expect(storedQueries({ queries: [query, { name: "1" }, null] } as never)).toEqual([query]);
  expect(storedQueries({ queries: "x" } as never)).toEqual([]);
  expect(storedQueries(undefined)).toEqual([]);
  expect(storedQueries({})).toEqual([]);
});

test("a target that is left at zero is an event once", () => {
  const stopped = decide({
    nowMs,
    hpa: { metadata: {}, spec: { scaleTargetRef: { kind: "Deployment", name: "a" }, maxReplicas: 3 } },
    scale: { ok: true, specReplicas: 0, statusReplicas: 0, selector: "a=b" },
    pods: { ok: true, pods: [] },
    samples: [],
  }).decision;
  const event = {
    type: "Normal",
    reason: "StoppedAtZero",
    message: expect.stringContaining("adopt: FromZero"),
  };
  expect(zeroEvents(stopped, undefined)).toEqual([event]);
  expect(zeroEvents(stopped, stopped.status)).toEqual([]);
  expect(zeroEvents(decided(4), undefined)).toEqual([]);
});

test("a refusal is an event once, and again when it changes", () => {
  const refused = (problem: string) =>
    withConditions(decided(4), undefined, { state: { ...calm, problem }, nowMs });
  const [first, second] = [refused("spec.mode: no"), refused("spec.metrics: no")];
  const message = expect.stringContaining("spec.mode: no") as string;
  expect(refusalEvents(first, undefined)).toEqual([{ type: "Warning", reason: "InvalidSpec", message }]);
  expect(refusalEvents(first, first.status)).toEqual([]);
  expect(refusalEvents(second, first.status)).toHaveLength(1);
  expect(refusalEvents(decided(4), first.status)).toEqual([]);
  expect(refusalEvents(first, { conditions: null })).toHaveLength(1);
  const [ready, ...others] = first.status.conditions;
  // Not the reason alone: Active has it too.
  for (const other of [
    { ...ready, type: "Active" },
    { ...ready, reason: "FailedGetScale" },
  ])
    expect(refusalEvents(first, { conditions: [other, ...others] } as never)).toHaveLength(1);
});
