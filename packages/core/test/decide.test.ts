import { expect, test } from "vitest";
import { withSchedules } from "../src/decide/schedules/index.ts";
import { type DecideInput, decide, type HpaMemory } from "../src/index.ts";
import {
  condition,
  cpuUtilization,
  externalAverage,
  externalInput,
  hpaOf,
  nowMs,
  readyPods,
} from "./fixtures.ts";

const settled: HpaMemory = {
  recommendations: [{ replicas: 1, atMs: nowMs - 900_000 }],
  scaleUpEvents: [],
  scaleDownEvents: [],
};

test("a scale-up writes count, event, conditions and times", () => {
  const { decision, memory } = decide(externalInput("35", 2));
  expect(decision).toMatchObject({
    currentReplicas: 2,
    desiredReplicas: 4,
    scaleTo: 4,
    reason: "external metric queue(nil) above target",
    statusChanged: true,
    outcome: { action: "scale_up", error: "none" },
    events: [
      {
        type: "Normal",
        reason: "SuccessfulRescale",
        message: "New size: 4; reason: external metric queue(nil) above target",
      },
    ],
    status: {
      observedGeneration: 3,
      lastScaleTime: "2026-01-01T12:00:00Z",
      currentReplicas: 2,
      desiredReplicas: 4,
    },
  });
  expect(decision.status.conditions.map(({ type, status, reason }) => [type, status, reason])).toEqual([
    ["AbleToScale", "True", "SucceededRescale"],
    ["ScalingActive", "True", "ValidMetricFound"],
    ["ScalingLimited", "False", "DesiredWithinRange"],
    ["ScaledToZero", "False", "NotScaledToZero"],
  ]);
  expect(memory.recommendations).toEqual([
    { replicas: 2, atMs: nowMs },
    { replicas: 4, atMs: nowMs },
  ]);
});

test("the replicas of the first evaluation of an HPA enter its scale-down window", () => {
  const { decision } = decide(externalInput("5", 4));
  expect(decision.scaleTo).toBeUndefined();
  expect(condition(decision, "AbleToScale")).toMatchObject({ status: "True", reason: "ScaleDownStabilized" });
  // The window kept the replicas, no limit did.
  expect(condition(decision, "ScalingLimited")).toMatchObject({
    status: "False",
    reason: "DesiredWithinRange",
  });
  expect(decide(externalInput("5", 4), settled).decision.scaleTo).toBe(1);
});

test("a repeated hold changes no status, and transition times stay", () => {
  const first = decide(externalInput("20", 2), settled);
  expect(first.decision.scaleTo).toBeUndefined();
  const stored = { ...externalInput("20", 2), nowMs: nowMs + 15_000 };
  const second = decide({ ...stored, hpa: { ...stored.hpa, status: first.decision.status } }, first.memory);
  expect(second.decision.statusChanged).toBe(false);
  expect(second.decision.status).toEqual(first.decision.status);
});

test.each([
  [12, 10, "Current number of replicas above Spec.MaxReplicas"],
  [1, 3, "Current number of replicas below Spec.MinReplicas"],
])("%i replicas outside [3, 10] go to %i without any metric", (current, expected, reason) => {
  const hpa = hpaOf({ minReplicas: 3 });
  const { decision, memory } = decide({ ...externalInput("35", current), hpa, samples: [] }, settled);
  expect(decision).toMatchObject({ scaleTo: expected, reason, status: { currentMetrics: null } });
  expect(condition(decision, "ScalingActive")).toBeUndefined();
  expect(memory.recommendations).toEqual(settled.recommendations);
});

test("a scale that cannot be read touches AbleToScale alone", () => {
  const status = { currentReplicas: 5, desiredReplicas: 6, conditions: [] };
  const input = { ...externalInput("35", 2), hpa: { ...hpaOf({}), status } };
  const internal = decide({ ...input, scale: { ok: false, message: "no route" } }).decision;
  expect(internal).toMatchObject({
    currentReplicas: 5,
    desiredReplicas: 6,
    events: [{ type: "Warning", reason: "FailedGetScale", message: "no route" }],
    outcome: {
      action: "none",
      error: "internal",
      message: "failed to query scale subresource for Deployment/shop/web: no route",
    },
  });
  expect(internal.status.conditions).toHaveLength(1);
  expect(
    decide({ ...input, scale: { ok: false, message: "bad", kind: "spec" } }).decision.outcome.error,
  ).toBe("spec");
});

test.each<[string, Partial<DecideInput>, string, string]>([
  [
    "missing",
    { scale: { ok: true, specReplicas: 2, statusReplicas: 2, selector: "" } },
    "SelectorRequired",
    "selector is required",
  ],
  [
    "malformed",
    { scale: { ok: true, specReplicas: 2, statusReplicas: 2, selector: "a in (" } },
    "InvalidSelector",
    "couldn't convert selector into a corresponding internal selector object: unable to parse requirement: found '', expected: ',', ')' or identifier",
  ],
  [
    "shared",
    { ambiguousWith: ["shop/web", "shop/other", "shop/third"] },
    "AmbiguousSelector",
    "pods by selector app=web are controlled by more than one HPA (e.g. [shop/web shop/other])",
  ],
])("a %s selector stops the evaluation", (_, more, reason, message) => {
  const { decision } = decide(externalInput("35", 2, more));
  expect(decision.scaleTo).toBeUndefined();
  expect(decision.events.map((event) => [event.reason, event.message])).toEqual([
    [reason, message],
    ["FailedComputeMetricsReplicas", message],
  ]);
  expect(decision.trace).toContainEqual({ kind: "selector", reason, message });
  expect(condition(decision, "ScalingActive")).toMatchObject({ status: "False" });
});

test("older profiles name every HPA that shares the pods", () => {
  const input = externalInput("35", 2, {
    ambiguousWith: ["shop/web", "shop/other"],
    options: { semantics: "1.35" },
  });
  expect(decide(input).decision.events[0]?.message).toBe(
    "pods by selector app=web are controlled by multiple HPAs: [shop/web shop/other]",
  );
});

const failing = { error: "the broker is away" };
const twoMetrics = { metrics: [externalAverage("10"), externalAverage("10", "backlog")] };

test.each([
  ["10", undefined, "internal"],
  ["30", undefined, "internal"],
  ["50", 5, "internal"],
])("with one of two metrics failing, a total of %s leads to %s", (total, expected, error) => {
  const input = {
    ...externalInput(total, 3),
    hpa: hpaOf(twoMetrics),
    samples: [{ values: [{ value: total }] }, failing],
  };
  const { decision } = decide(input, settled);
  expect(decision.scaleTo).toBe(expected);
  expect(decision.outcome.error).toBe(error);
  expect(decision.outcome.message).toContain(
    "invalid metrics (1 invalid out of 2), first error is: failed to get backlog",
  );
  expect(decision.status.currentMetrics?.[1]).toEqual({ type: "" });
});

test("an unknown type of metric is an error of the spec", () => {
  const { decision } = decide({ ...externalInput("1", 2), hpa: hpaOf({ metrics: [{ type: "Odd" }] }) });
  expect(decision.outcome.error).toBe("spec");
  expect(condition(decision, "ScalingActive")?.reason).toBe("InvalidMetricSourceType");
  const old = {
    ...externalInput("1", 2),
    hpa: hpaOf({ metrics: [{ type: "Odd" }] }),
    options: { semantics: "1.35" as const },
  };
  expect(decide(old).decision.outcome.error).toBe("internal");
});

test.each(["Resource", "ContainerResource", "Pods", "Object", "External"])(
  "a metric of type %s without its source fails as one that can't be read",
  (type) => {
    const { decision } = decide({ ...externalInput("1", 2), hpa: hpaOf({ metrics: [{ type }] }) });
    expect(condition(decision, "ScalingActive")).toMatchObject({
      reason: `FailedGet${type}Metric`,
      message: expect.stringContaining(`the source for type ${type} is missing`),
    });
  },
);

const zeroed = { conditions: [{ type: "ScaledToZero", status: "True" }] };

test.each([
  ["1.37", 0, {}, false],
  ["1.37", 0, zeroed, true],
  ["1.37", 2, zeroed, true],
  ["1.37", 2, {}, false],
  ["1.35", 0, {}, true],
  ["1.35", 2, {}, false],
] as const)(
  "under %s with minReplicas %i and status %j leaving zero is %s",
  (semantics, minReplicas, status, leaves) => {
    const hpa = { ...hpaOf({ minReplicas }), status };
    const { decision } = decide({ ...externalInput("20", 0), hpa, options: { semantics } });
    expect(decision.scaleTo).toBe(leaves ? 2 : undefined);
    expect(condition(decision, "ScalingActive")?.reason).toBe(
      leaves ? "ValidMetricFound" : "ScalingDisabled",
    );
  },
);

test("reaching zero is remembered in a condition, and the gate takes it away", () => {
  const hpa = hpaOf({ minReplicas: 0 });
  const { decision } = decide({ ...externalInput("0", 1), hpa }, settled);
  expect(decision.scaleTo).toBe(0);
  expect(condition(decision, "ScaledToZero")).toMatchObject({ status: "True", reason: "ScaledToZero" });
  const stored = { ...hpa, status: decision.status };
  const off = decide(
    { ...externalInput("0", 0), hpa: stored, options: { scaleToZero: false } },
    settled,
  ).decision;
  expect(condition(off, "ScaledToZero")).toBeUndefined();
});

test("a raised minimum is honored on the way up from zero", () => {
  const hpa = { ...hpaOf({ minReplicas: 3, behavior: {} }), status: zeroed };
  const { decision } = decide({ ...externalInput("0", 0), hpa });
  expect(decision).toMatchObject({ scaleTo: 3, reason: "Current number of replicas below Spec.MinReplicas" });
});

test("the old forbidden windows hold changes back, when they are set", () => {
  const hpa = { ...hpaOf({}), status: { lastScaleTime: "2026-01-01T11:58:00Z" } };
  const up = { ...externalInput("35", 2), hpa, options: { upscaleForbiddenWindowMs: 180_000 } };
  expect(decide(up).decision.scaleTo).toBeUndefined();
  expect(condition(decide(up).decision, "AbleToScale")).toMatchObject({
    status: "False",
    reason: "BackoffUpscale",
  });
  expect(decide({ ...up, options: { upscaleForbiddenWindowMs: 119_999 } }).decision.scaleTo).toBe(4);
  const down = { ...externalInput("5", 2), hpa, options: { downscaleForbiddenWindowMs: 300_000 } };
  expect(decide(down, settled).decision.scaleTo).toBeUndefined();
  expect(decide({ ...down, options: {} }, settled).decision.scaleTo).toBe(1);
});

test("a past recommendation that raises replicas adds no reason, whatever proposes the current ones", () => {
  const memory = { ...settled, recommendations: [{ replicas: 8, atMs: nowMs - 1000 }] };
  const input = externalInput("50", 5);
  expect(decide(input, memory).decision).toMatchObject({ scaleTo: 8, reason: "" });
  const hpa = hpaOf({ minReplicas: 5, metrics: [] });
  const state = { atMs: nowMs, floor: undefined, ceiling: undefined, active: [], nextMs: undefined };
  const scheduled = decide(withSchedules({ ...input, hpa, samples: [] }, state), memory).decision;
  expect(scheduled).toMatchObject({ scaleTo: 8, reason: "" });
});

test("a list of pods that failed is an error without a condition", () => {
  const { decision } = decide(externalInput("35", 2, { pods: { ok: false, message: "cache is cold" } }));
  expect(condition(decision, "ScalingActive")).toBeUndefined();
  expect(decision.outcome.message).toContain("Deployment/shop/web: cache is cold");
});

test("no metrics in the spec means cpu at 80 %", () => {
  const { metrics: _, ...spec } = hpaOf({}).spec;
  const input = { ...externalInput("1", 2), hpa: { ...hpaOf({}), spec }, samples: [{ error: "down" }] };
  const { decision } = decide({ ...input, pods: { ok: true, pods: readyPods(2) } });
  expect(decision.events[0]?.reason).toBe("FailedGetResourceMetric");
});

test("input and memory are not touched", () => {
  const input = Object.freeze(
    externalInput("35", 2, { hpa: hpaOf({ behavior: {}, metrics: [cpuUtilization(50)] }) }),
  );
  const before = JSON.stringify([input, settled]);
  decide(input, settled);
  expect(JSON.stringify([input, settled])).toBe(before);
});
