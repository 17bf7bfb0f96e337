// Whole traces of metrics that look at pods one by one: what explain prints and records keep.
import { expect, test } from "vitest";
import { type Decision, decide, type MetricSpec, type TraceStep } from "../src/index.ts";
import { cpuUtilization, nowMs, podsMetric } from "./fixtures.ts";
import { cpuOf, mixedInput, settled, valuesOf } from "./traces-rig.ts";

const cpu = "cpu resource utilization (percentage of request)";
const front = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "front" };
const onFront: MetricSpec = {
  type: "Object",
  object: { metric: { name: "rps" }, describedObject: front, target: { type: "Value", value: "100" } },
};

/** The steps after that of the one metric, where neither a window nor a limit changes what it proposes. */
function unchanged(name: string, current: number, replicas: number): readonly TraceStep[] {
  const reason = replicas > current ? `${name} above target` : "All metrics below target";
  return [
    {
      kind: "combine",
      proposals: [{ index: 0, name, replicas }],
      winner: 0,
      result: replicas,
      outcome: "accepted",
    },
    {
      kind: "stabilize",
      mode: "legacy",
      currentReplicas: current,
      desired: replicas,
      result: replicas,
      downWindowSeconds: 300,
      highest: replicas,
      reason: "ReadyForNewScale",
    },
    {
      kind: "limit",
      from: replicas,
      result: replicas,
      minReplicas: 1,
      maxReplicas: 10,
      cap: Math.min(2 * current, 10),
      floor: 1,
      reason: "DesiredWithinRange",
    },
    { kind: "result", action: "scale", currentReplicas: current, desiredReplicas: replicas, reason },
  ];
}

function scaleOf(replicas: number): TraceStep {
  return { kind: "scale", specReplicas: replicas, statusReplicas: replicas, selector: "app=web" };
}

const conditionsOf = ({ status }: Decision): readonly string[] =>
  status.conditions.map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`);

const scaledTo = (replicas: number, metric: string) => [
  `AbleToScale=True SucceededRescale: the HPA controller was able to update the target scale to ${replicas}`,
  `ScalingActive=True ValidMetricFound: the HPA was able to successfully calculate a replica count from ${metric}`,
  "ScalingLimited=False DesiredWithinRange: the desired count is within the acceptable range",
  "ScaledToZero=False NotScaledToZero: the HPA controller did not scale the workload to zero",
];

test("above the target, pods without samples and unready pods count as idle", () => {
  const samples = cpuOf({
    plain: { app: "1800m" },
    two: { app: "900m", proxy: "100m" },
    starting: { app: "3" },
    leaving: { app: "2" },
    stranger: { app: "5" },
  });
  const { decision } = decide(mixedInput(cpuUtilization(50), samples, 4), settled);
  expect(decision.trace).toStrictEqual([
    scaleOf(4),
    {
      kind: "metric",
      index: 0,
      type: "Resource",
      name: cpu,
      currentReplicas: 4,
      tolerance: { down: 0.1, up: 0.1 },
      target: { type: "Utilization", value: "50" },
      pods: [
        { name: "plain", group: "ready", why: "has-sample", usage: "1800m", request: "1" },
        { name: "two", group: "ready", why: "has-sample", usage: "1", request: "1500m" },
        { name: "silent", group: "missing", why: "no-sample", request: "1" },
        { name: "starting", group: "unready", why: "initializing-not-ready", usage: "3", request: "1" },
        { name: "leaving", group: "ignored", why: "being-deleted", usage: "2", request: "1" },
        { name: "failed", group: "ignored", why: "failed", request: "1" },
        { name: "stranger", group: "extra", why: "not-selected", usage: "5" },
      ],
      counts: { ready: 2, unready: 1, missing: 1, ignored: 2, extra: 1 },
      // 2800m of 2500m; with the requests of two idle pods, of 4500m.
      first: {
        total: "2800m",
        requested: "2500m",
        pods: 2,
        usage: "112",
        ratio: 2.24,
        withinTolerance: false,
      },
      second: {
        total: "2800m",
        requested: "4500m",
        pods: 4,
        usage: "62",
        ratio: 1.24,
        withinTolerance: false,
        missingAs: "0",
        unreadyAs: "0",
      },
      // As upstream, the stranger is one of the five pods that the ratio is multiplied with.
      rule: "ratio-times-all",
      replicas: 7,
    },
    ...unchanged(cpu, 4, 7),
  ]);
  expect(conditionsOf(decision)).toEqual(scaledTo(7, cpu));
});

test("below the target, pods without samples count as on target, and strangers count", () => {
  const samples = valuesOf({ plain: "2", two: "4", starting: "1", stranger: "3" });
  const { decision } = decide(mixedInput(podsMetric("10"), samples, 6), settled);
  expect(decision.trace).toStrictEqual([
    scaleOf(6),
    {
      kind: "metric",
      index: 0,
      type: "Pods",
      name: "pods metric packets",
      currentReplicas: 6,
      tolerance: { down: 0.1, up: 0.1 },
      target: { type: "AverageValue", value: "10" },
      pods: [
        { name: "plain", group: "ready", why: "has-sample", usage: "2" },
        { name: "two", group: "ready", why: "has-sample", usage: "4" },
        { name: "silent", group: "missing", why: "no-sample" },
        // Only cpu looks at readiness.
        { name: "starting", group: "ready", why: "has-sample", usage: "1" },
        { name: "leaving", group: "ignored", why: "being-deleted" },
        { name: "failed", group: "ignored", why: "failed" },
        { name: "stranger", group: "extra", why: "not-selected", usage: "3" },
      ],
      counts: { ready: 3, unready: 0, missing: 1, ignored: 2, extra: 1 },
      first: { total: "10", pods: 4, usage: "2500m", ratio: 0.25, withinTolerance: false },
      second: {
        total: "20",
        pods: 5,
        usage: "4",
        ratio: 0.4,
        withinTolerance: false,
        missingAs: "the target of 10",
      },
      rule: "ratio-times-all",
      replicas: 2,
    },
    ...unchanged("pods metric packets", 6, 2),
  ]);
  expect(conditionsOf(decision)).toEqual(scaledTo(2, "pods metric packets"));
});

test.each<[string, string, number, string]>([
  // With one pod that counts as on target: 34 of 40, so ⌈0.85 × 4⌉.
  ["below", "8", 4, "ratio-times-all"],
  // With one pod that counts as idle: 60 of 40, so 1.5 × 4.
  ["above", "20", 6, "ratio-times-all"],
  // ⌈0.85 × 4⌉ would be more than 3, and ⌈1.2 × 4⌉ fewer than 6.
  ["below", "8", 3, "against-direction"],
  ["above", "16", 6, "against-direction"],
])("%s the target, at %s for each pod, %i replicas stay: %s", (_, value, replicas, rule) => {
  const samples = valuesOf({ plain: value, two: value, silent: value });
  const { decision } = decide(mixedInput(podsMetric("10"), samples, replicas), settled);
  expect(decision.trace[1]).toMatchObject({ rule, replicas });
});

test("one value for the workload is multiplied with the pods that run and are ready, also those that end", () => {
  const { decision } = decide(mixedInput(onFront, { value: "150" }, 4), settled);
  expect(decision.trace).toStrictEqual([
    scaleOf(4),
    {
      kind: "metric",
      index: 0,
      type: "Object",
      name: "Ingress metric rps",
      currentReplicas: 4,
      tolerance: { down: 0.1, up: 0.1 },
      target: { type: "Value", value: "100" },
      values: ["150"],
      pods: [
        { name: "plain", group: "ready", why: "running-and-ready" },
        { name: "two", group: "ready", why: "running-and-ready" },
        { name: "silent", group: "ready", why: "running-and-ready" },
        { name: "starting", group: "unready", why: "not-ready" },
        { name: "leaving", group: "ready", why: "running-and-ready" },
        { name: "failed", group: "unready", why: "not-running" },
      ],
      counts: { ready: 4, unready: 2, missing: 0, ignored: 0, extra: 0 },
      first: { total: "150", usage: "150", ratio: 1.5, withinTolerance: false, pods: 4 },
      rule: "ratio-times-ready",
      replicas: 6,
    },
    ...unchanged("Ingress metric rps", 4, 6),
  ]);
  expect(conditionsOf(decision)).toEqual(scaledTo(6, "Ingress metric rps"));
});

test("held samples count as if they were new, and the trace has the failure and their time", () => {
  const policed = { failurePolicies: [{ policy: "HoldLast", forSeconds: 120 }] } as const;
  const good = valuesOf({ plain: "20", two: "20", silent: "10" });
  const { memory } = decide(mixedInput(podsMetric("10"), good, 4, policed), settled);
  const later = { ...policed, nowMs: nowMs + 60_000 };
  const failed = mixedInput(podsMetric("10"), { error: "down" }, 4, later);
  const { decision } = decide(failed, { ...memory, recommendations: settled.recommendations });
  expect(decision.trace).toStrictEqual([
    scaleOf(4),
    {
      kind: "failure-policy",
      index: 0,
      name: "pods metric packets",
      policy: "HoldLast",
      error: {
        reason: "FailedGetPodsMetric",
        message: "unable to get metric packets: unable to fetch metrics from custom metrics API: down",
      },
      isApplied: true,
      sampledAtMs: nowMs,
    },
    {
      kind: "metric",
      index: 0,
      type: "Pods",
      name: "pods metric packets",
      currentReplicas: 4,
      tolerance: { down: 0.1, up: 0.1 },
      target: { type: "AverageValue", value: "10" },
      pods: [
        { name: "plain", group: "ready", why: "has-sample", usage: "20" },
        { name: "two", group: "ready", why: "has-sample", usage: "20" },
        { name: "silent", group: "ready", why: "has-sample", usage: "10" },
        { name: "starting", group: "missing", why: "no-sample" },
        { name: "leaving", group: "ignored", why: "being-deleted" },
        { name: "failed", group: "ignored", why: "failed" },
      ],
      counts: { ready: 3, unready: 0, missing: 1, ignored: 2, extra: 0 },
      first: { total: "50", pods: 3, usage: "16666m", ratio: 1.6666, withinTolerance: false },
      second: {
        total: "50",
        pods: 4,
        usage: "12500m",
        ratio: 1.25,
        withinTolerance: false,
        missingAs: "0",
      },
      rule: "ratio-times-all",
      replicas: 5,
    },
    ...unchanged("pods metric packets", 4, 5),
  ]);
  expect(conditionsOf(decision)).toEqual(scaledTo(5, "pods metric packets"));
  expect(decision.events.map(({ reason }) => reason)).toEqual(["FailedGetPodsMetric", "SuccessfulRescale"]);
});
