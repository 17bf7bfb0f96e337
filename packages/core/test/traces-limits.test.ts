// Whole traces of metrics with one value: windows, policies and bounds, and what stays in the memory.
import { expect, test } from "vitest";
import { type Decision, decide, type HpaMemory, type MetricSpec, type TraceStep } from "../src/index.ts";
import { externalInput, hpaOf, nowMs, readyPods } from "./fixtures.ts";
import { mixedInput, settled } from "./traces-rig.ts";

const queue = "external metric queue(nil)";

/** The steps up to the combination: a total over a target of 10 for each replica. */
function proposed(total: string, current: number, first: object, replicas: number): readonly object[] {
  return [
    { kind: "scale", specReplicas: current, statusReplicas: current, selector: "app=web" },
    {
      kind: "metric",
      index: 0,
      type: "External",
      name: queue,
      currentReplicas: current,
      tolerance: { down: 0.1, up: 0.1 },
      target: { type: "AverageValue", value: "10" },
      values: [total],
      statusReplicas: current,
      first: { total, pods: current, ...first, withinTolerance: false },
      rule: "total-over-target",
      replicas,
    },
    accepted(queue, replicas),
  ];
}

function accepted(name: string, replicas: number): TraceStep {
  const proposals = [{ index: 0, name, replicas }];
  return { kind: "combine", proposals, winner: 0, result: replicas, outcome: "accepted" };
}

function result(action: "scale" | "hold", current: number, desired: number, reason: string): TraceStep {
  return { kind: "result", action, currentReplicas: current, desiredReplicas: desired, reason };
}

const limitOf = ({ status }: Decision): string | undefined =>
  status.conditions
    .filter(({ type }) => type === "ScalingLimited")
    .map(({ status, reason, message }) => `${status} ${reason}: ${message}`)[0];

test("policies count the changes of their period; what none of them counts any more gives up its place", () => {
  const policies = [
    { type: "Pods", value: 4, periodSeconds: 60 },
    { type: "Percent", value: 50, periodSeconds: 15 },
  ] as const;
  const hpa = hpaOf({
    behavior: { scaleUp: { policies }, scaleDown: { stabilizationWindowSeconds: 60 } },
    maxReplicas: 50,
  });
  const recent = { change: 2, atMs: nowMs - 20_000 };
  const scaleUpEvents = [{ change: 7, atMs: nowMs - 61_000 }, recent];
  const { decision, memory } = decide(externalInput("300", 6, { hpa }), { ...settled, scaleUpEvents });
  expect(decision.trace).toStrictEqual([
    ...proposed("300", 6, { usage: "50", ratio: 5 }, 30),
    {
      kind: "stabilize",
      mode: "behavior",
      currentReplicas: 6,
      desired: 30,
      result: 30,
      upWindowSeconds: 0,
      downWindowSeconds: 60,
      lowest: 30,
      highest: 30,
      reason: "ReadyForNewScale",
    },
    {
      kind: "rate",
      direction: "up",
      selectPolicy: "Max",
      currentReplicas: 6,
      policies: [
        {
          ...policies[0],
          added: 2,
          removed: 0,
          events: [{ direction: "up", ...recent }],
          start: 4,
          limit: 8,
        },
        { ...policies[1], added: 0, removed: 0, events: [], start: 6, limit: 9 },
      ],
      limit: 9,
    },
    { kind: "limit", from: 30, result: 9, minReplicas: 1, maxReplicas: 50, cap: 9, reason: "ScaleUpLimit" },
    result("scale", 6, 9, `${queue} above target`),
  ]);
  expect(limitOf(decision)).toBe(
    "True ScaleUpLimit: the desired replica count is increasing faster than the maximum scale rate",
  );
  expect(memory.scaleUpEvents).toStrictEqual([{ change: 3, atMs: nowMs }, recent]);
  // At the age of the longest period, a change is kept.
  const oldest = { change: 7, atMs: nowMs - 60_000 };
  const kept = decide(externalInput("300", 6, { hpa }), { ...settled, scaleUpEvents: [oldest] });
  expect(kept.memory.scaleUpEvents).toContainEqual(oldest);
  // Also one that was marked before, wherever it stands.
  const marked = { change: 5, atMs: nowMs - 90_000, outdated: true };
  const more = decide(externalInput("300", 6, { hpa }), {
    ...settled,
    scaleUpEvents: [recent, marked, recent],
  });
  expect(more.memory.scaleUpEvents).toStrictEqual([recent, { change: 3, atMs: nowMs }, recent]);
});

test("without behavior a scale-up stops at the maximum, and says so", () => {
  const { decision } = decide(externalInput("300", 6), settled);
  expect(decision.trace).toStrictEqual([
    ...proposed("300", 6, { usage: "50", ratio: 5 }, 30),
    {
      kind: "stabilize",
      mode: "legacy",
      currentReplicas: 6,
      desired: 30,
      result: 30,
      downWindowSeconds: 300,
      highest: 30,
      reason: "ReadyForNewScale",
    },
    {
      kind: "limit",
      from: 30,
      result: 10,
      minReplicas: 1,
      maxReplicas: 10,
      cap: 10,
      floor: 1,
      reason: "TooManyReplicas",
    },
    result("scale", 6, 10, `${queue} above target`),
  ]);
  expect(limitOf(decision)).toBe(
    "True TooManyReplicas: the desired replica count is more than the maximum replica count",
  );
});

const past = (replicas: number, seconds: number) => ({ replicas, atMs: nowMs - seconds * 1000 });

test.each<[string, HpaMemory["recommendations"]]>([
  ["the first", [past(5, 100), past(5, 200)]],
  ["the last", [past(9, 301), past(5, 200), past(5, 100)]],
])(
  "of equal recommendations that hold a scale-down, the latest is shown, also when it is %s",
  (_, recommendations) => {
    const { decision, memory } = decide(externalInput("20", 5), { ...settled, recommendations });
    expect(decision.trace).toStrictEqual([
      ...proposed("20", 5, { usage: "4", ratio: 0.4 }, 2),
      {
        kind: "stabilize",
        mode: "legacy",
        currentReplicas: 5,
        desired: 2,
        result: 5,
        downWindowSeconds: 300,
        highest: 5,
        heldBy: past(5, 100),
        reason: "ScaleDownStabilized",
      },
      {
        kind: "limit",
        from: 5,
        result: 5,
        minReplicas: 1,
        maxReplicas: 10,
        cap: 10,
        floor: 1,
        reason: "DesiredWithinRange",
      },
      result("hold", 5, 5, ""),
    ]);
    expect(memory.recommendations).toContainEqual(past(2, 0));
    expect(memory.recommendations).not.toContainEqual(past(9, 301));
    // Only a scale can be undone.
    expect(Object.keys(decision)).not.toContain("beforeRescale");
  },
);

const oneValue = (target: object): MetricSpec =>
  ({ type: "External", external: { metric: { name: "queue" }, target } }) as MetricSpec;

test("a sum of series beyond what 64 bits hold counts as the most that they hold", () => {
  const metrics = [oneValue({ type: "Value", value: "1" })];
  const samples = [{ values: [{ value: "9e15" }, { value: "9e15" }] }];
  const pods = { ok: true, pods: readyPods(4) } as const;
  const { decision } = decide(externalInput("", 4, { hpa: hpaOf({ metrics }), samples, pods }), settled);
  expect(decision.trace[1]).toMatchObject({
    values: ["9e15", "9e15"],
    first: { total: "9223372036854775807m", ratio: 9_223_372_036_854_776 },
    rule: "ratio-times-ready",
    replicas: 2_147_483_647,
  });
  expect(decision.scaleTo).toBe(8);
});

test("a described object without a value fails the metric, and the trace says as upstream why", () => {
  const describedObject = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "front" };
  const target = { type: "Value", value: "100" } as const;
  const metric: MetricSpec = { type: "Object", object: { metric: { name: "rps" }, describedObject, target } };
  const message =
    "unable to get metric rps on Ingress shop/front: unable to fetch metrics from custom metrics API: the custom metrics API server returned 0 results when we asked for exactly one";
  const { decision } = decide(mixedInput(metric, { value: "many" }, 4), settled);
  expect(decision.trace.slice(1)).toStrictEqual([
    {
      kind: "metric",
      index: 0,
      type: "Object",
      name: "Ingress metric rps",
      currentReplicas: 4,
      tolerance: { down: 0.1, up: 0.1 },
      target,
      error: { reason: "FailedGetObjectMetric", message },
    },
    {
      kind: "combine",
      proposals: [{ index: 0, name: "Ingress metric rps", error: message }],
      outcome: "failed",
    },
    {
      kind: "result",
      action: "error",
      currentReplicas: 4,
      desiredReplicas: 0,
      reason: "",
      error: `failed to compute desired number of replicas based on listed metrics for Deployment/shop/web: invalid metrics (1 invalid out of 1), first error is: failed to get object metric value: ${message}`,
    },
  ]);
  expect(decision.status.conditions[1]).toMatchObject({
    type: "ScalingActive",
    status: "False",
    reason: "FailedGetObjectMetric",
    message: `the HPA was unable to compute the replica count: ${message}`,
  });
});
