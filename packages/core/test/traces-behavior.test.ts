// The steps after the metrics, whole: how several are combined, and what behavior makes of the result.
import { expect, test } from "vitest";
import { type DecideInput, decide, type HpaBehavior, type HpaMemory, type TraceStep } from "../src/index.ts";
import { externalAverage, externalInput, hpaOf, nowMs, podsMetric, readyPods } from "./fixtures.ts";
import { settled } from "./traces-rig.ts";

const queue = "external metric queue(nil)";

/** The steps from the combination on, and the condition that names the limit. */
function decided(input: DecideInput, memory: Partial<HpaMemory> = {}) {
  const result = decide(input, { ...settled, ...memory });
  const { trace, status } = result.decision;
  const limited = status.conditions.find(({ type }) => type === "ScalingLimited");
  const steps: readonly TraceStep[] = trace.slice(trace.findIndex(({ kind }) => kind === "combine"));
  return { ...result, steps, limited: limited && `${limited.status} ${limited.reason}: ${limited.message}` };
}

const down = "unable to get metric packets: unable to fetch metrics from custom metrics API: down";
const failure = `invalid metrics (1 invalid out of 2), first error is: failed to get pods metric value: ${down}`;

function withFailing(total: string): DecideInput {
  return externalInput("", 5, {
    hpa: hpaOf({ metrics: [podsMetric("10"), externalAverage("10")] }),
    samples: [{ error: "down" }, { values: [{ value: total }] }],
    pods: { ok: true, pods: readyPods(5) },
  });
}

test("a metric that fails forbids the scale-down that another one proposes", () => {
  const { steps, decision, memory } = decided(withFailing("20"));
  const error = `failed to compute desired number of replicas based on listed metrics for Deployment/shop/web: ${failure}`;
  expect(steps).toStrictEqual([
    {
      kind: "combine",
      proposals: [
        { index: 0, name: "pods metric packets", error: down },
        { index: 1, name: queue, replicas: 2 },
      ],
      winner: 1,
      outcome: "blocked",
    },
    { kind: "result", action: "error", currentReplicas: 5, desiredReplicas: 0, reason: "", error },
  ]);
  expect(decision).toMatchObject({
    outcome: { action: "none", error: "internal", message: error },
    events: [
      { type: "Warning", reason: "FailedGetPodsMetric", message: down },
      { type: "Warning", reason: "FailedComputeMetricsReplicas", message: failure },
    ],
    status: {
      conditions: [
        { type: "AbleToScale", status: "True", reason: "SucceededGetScale" },
        {
          type: "ScalingActive",
          status: "False",
          reason: "FailedGetPodsMetric",
          message: `the HPA was unable to compute the replica count: ${down}`,
        },
      ],
    },
  });
  // What was not accepted doesn't count as a recommendation.
  expect(memory).toStrictEqual(settled);
});

test("a metric that fails does not stop the scale-up that another one proposes, and is reported", () => {
  const { steps, decision } = decided(withFailing("80"));
  expect(steps).toStrictEqual([
    {
      kind: "combine",
      proposals: [
        { index: 0, name: "pods metric packets", error: down },
        { index: 1, name: queue, replicas: 8 },
      ],
      winner: 1,
      result: 8,
      outcome: "accepted-despite-errors",
    },
    {
      kind: "stabilize",
      mode: "legacy",
      currentReplicas: 5,
      desired: 8,
      result: 8,
      downWindowSeconds: 300,
      highest: 8,
      reason: "ReadyForNewScale",
    },
    {
      kind: "limit",
      from: 8,
      result: 8,
      minReplicas: 1,
      maxReplicas: 10,
      cap: 10,
      floor: 1,
      reason: "DesiredWithinRange",
    },
    {
      kind: "result",
      action: "scale",
      currentReplicas: 5,
      desiredReplicas: 8,
      reason: `${queue} above target`,
      error: failure,
    },
  ]);
  expect(decision).toMatchObject({
    scaleTo: 8,
    outcome: { action: "scale_up", error: "internal", message: failure },
    events: [
      { type: "Warning", reason: "FailedGetPodsMetric", message: down },
      { type: "Normal", reason: "SuccessfulRescale", message: `New size: 8; reason: ${queue} above target` },
    ],
  });
});

const ago = (seconds: number) => nowMs - seconds * 1000;
const accepted = (replicas: number): TraceStep => ({
  kind: "combine",
  proposals: [{ index: 0, name: queue, replicas }],
  winner: 0,
  result: replicas,
  outcome: "accepted",
});
const under = (behavior: HpaBehavior, total: string, replicas: number) =>
  externalInput(total, replicas, { hpa: hpaOf({ behavior }) });

test("scale-down policies count changes in both directions, and Min takes the one that removes the fewest", () => {
  const policies = [
    { type: "Pods", value: 4, periodSeconds: 60 },
    { type: "Percent", value: 50, periodSeconds: 30 },
  ] as const;
  const scaleDown = { stabilizationWindowSeconds: 0, selectPolicy: "Min", policies } as const;
  const first = { change: 1, atMs: ago(20) };
  const second = { change: 2, atMs: ago(40) };
  const added = { change: 1, atMs: ago(10) };
  const history = { scaleDownEvents: [first, second], scaleUpEvents: [added] };
  const { steps, limited, memory } = decided(under({ scaleDown }, "20", 9), history);
  const [up, one, two] = [
    { direction: "up", ...added },
    { direction: "down", ...first },
    { direction: "down", ...second },
  ] as const;
  expect(steps).toStrictEqual([
    accepted(2),
    {
      kind: "stabilize",
      mode: "behavior",
      currentReplicas: 9,
      desired: 2,
      result: 2,
      upWindowSeconds: 0,
      downWindowSeconds: 0,
      lowest: 2,
      highest: 2,
      reason: "ReadyForNewScale",
    },
    {
      kind: "rate",
      direction: "down",
      selectPolicy: "Min",
      currentReplicas: 9,
      policies: [
        // A minute ago there were 11, and half a minute ago as many as now.
        { ...policies[0], added: 1, removed: 3, events: [up, one, two], start: 11, limit: 7 },
        { ...policies[1], added: 1, removed: 1, events: [up, one], start: 9, limit: 4 },
      ],
      limit: 7,
    },
    {
      kind: "limit",
      from: 2,
      result: 7,
      minReplicas: 1,
      maxReplicas: 10,
      floor: 7,
      reason: "ScaleDownLimit",
    },
    {
      kind: "result",
      action: "scale",
      currentReplicas: 9,
      desiredReplicas: 7,
      reason: "All metrics below target",
    },
  ]);
  expect(limited).toBe(
    "True ScaleDownLimit: the desired replica count is decreasing faster than the maximum scale rate",
  );
  expect(memory.scaleDownEvents).toStrictEqual([first, second, { change: 2, atMs: nowMs }]);
  expect(memory.scaleUpEvents).toStrictEqual([added]);
});

test("a scale-up window takes the lowest recommendation in it, and the trace shows the latest that holds", () => {
  const scaleUp = { stabilizationWindowSeconds: 120 };
  const recommendations = [
    { replicas: 5, atMs: ago(60) },
    // As old as the window: it no longer counts.
    { replicas: 4, atMs: ago(120) },
    { replicas: 5, atMs: ago(30) },
  ];
  const { steps, memory } = decided(under({ scaleUp }, "90", 4), { recommendations });
  const usual = { periodSeconds: 15, added: 0, removed: 0, events: [], start: 4, limit: 8 };
  expect(steps).toStrictEqual([
    accepted(9),
    {
      kind: "stabilize",
      mode: "behavior",
      currentReplicas: 4,
      desired: 9,
      result: 5,
      upWindowSeconds: 120,
      downWindowSeconds: 300,
      lowest: 5,
      highest: 9,
      heldBy: { replicas: 5, atMs: ago(30) },
      reason: "ScaleUpStabilized",
    },
    {
      kind: "rate",
      direction: "up",
      selectPolicy: "Max",
      currentReplicas: 4,
      policies: [
        { type: "Pods", value: 4, ...usual },
        { type: "Percent", value: 100, ...usual },
      ],
      limit: 8,
    },
    {
      kind: "limit",
      from: 5,
      result: 5,
      minReplicas: 1,
      maxReplicas: 10,
      cap: 8,
      reason: "DesiredWithinRange",
    },
    {
      kind: "result",
      action: "scale",
      currentReplicas: 4,
      desiredReplicas: 5,
      reason: `${queue} above target`,
    },
  ]);
  expect(memory.recommendations).toStrictEqual([...recommendations, { replicas: 9, atMs: nowMs }]);
});

test("a direction that is disabled keeps the replicas, and the limit says so", () => {
  const { steps, limited, decision } = decided(under({ scaleUp: { selectPolicy: "Disabled" } }, "90", 4));
  expect(steps.slice(2)).toStrictEqual([
    { kind: "rate", direction: "up", selectPolicy: "Disabled", currentReplicas: 4, policies: [], limit: 4 },
    { kind: "limit", from: 9, result: 4, minReplicas: 1, maxReplicas: 10, cap: 4, reason: "ScaleUpLimit" },
    { kind: "result", action: "hold", currentReplicas: 4, desiredReplicas: 4, reason: "" },
  ]);
  expect(limited).toBe(
    "True ScaleUpLimit: the desired replica count is increasing faster than the maximum scale rate",
  );
  expect(decision.events).toEqual([]);
});
