import { expect, test } from "vitest";
import { convertKeda, cpu, cron, metricsQuery, prometheus } from "./keda-objects.ts";
import { type Fields, paths, specOf } from "./rig.ts";

test("the limits and the target are KEDA's, with its defaults", async () => {
  const { objects, rules, code } = await convertKeda({ minReplicaCount: undefined });
  expect(code).toBe(0);
  expect(objects).toEqual([
    {
      apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
      kind: "WorkloadAutoscaler",
      metadata: { name: "shop", namespace: "web" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
        minReplicas: 0,
        maxReplicas: 100,
        adopt: "FromZero",
        metrics: [
          {
            type: "External",
            external: {
              metric: { name: "web.shop.s0" },
              target: { type: "AverageValue", averageValue: "100" },
            },
          },
        ],
      },
    },
  ]);
  expect(rules).toEqual([
    {
      seriesQuery: "up",
      resources: { namespaced: false },
      name: { as: "web.shop.s0" },
      metricsQuery: "sum((sum(rate(hits[2m]))) > 0 < Inf) or vector(0)",
    },
  ]);
});

test.each<[name: string, trigger: Fields, metric: Fields]>([
  [
    "cpu, percent",
    cpu,
    { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
  ],
  [
    "memory, amount",
    { type: "memory", metricType: "AverageValue", metadata: { value: "512Mi" } },
    {
      type: "Resource",
      resource: { name: "memory", target: { type: "AverageValue", averageValue: "512Mi" } },
    },
  ],
  [
    "a container",
    { type: "cpu", metricType: "Utilization", metadata: { value: 60, containerName: "app" } },
    {
      type: "ContainerResource",
      containerResource: {
        name: "cpu",
        container: "app",
        target: { type: "Utilization", averageUtilization: 60 },
      },
    },
  ],
  [
    "the type of KEDA before 2.18",
    { type: "cpu", metadata: { type: "Utilization", value: "70" } },
    { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } },
  ],
  [
    "a value of the whole",
    prometheus({ threshold: "2.5" }, { metricType: "Value" }),
    {
      type: "External",
      external: { metric: { name: "web.shop.s0" }, target: { type: "Value", value: "2.5" } },
    },
  ],
])("a trigger of %s is the metric that KEDA gives its HPA", async (_, trigger, metric) => {
  const converted = await convertKeda({ triggers: [trigger] });
  expect(specOf(converted)["metrics"]).toEqual([metric]);
  expect(converted.notes).toEqual([]);
});

test.each<[name: string, metadata: Fields, bounds: Fields, query: string]>([
  ["nulls are 0", {}, {}, "sum((sum(rate(hits[2m]))) > 0 < Inf) or vector(0)"],
  ["nulls fail", { ignoreNullValues: "false" }, {}, "sum(rate(hits[2m]))"],
  [
    "active above 5",
    { activationThreshold: "5" },
    { minReplicaCount: 0 },
    "sum((sum(rate(hits[2m]))) > 5 < Inf) or vector(0)",
  ],
  [
    "active above 5, nulls fail",
    { activationThreshold: "5", ignoreNullValues: false },
    { minReplicaCount: 0 },
    "sum((sum(rate(hits[2m])))) * (sum((sum(rate(hits[2m])))) > bool 5)",
  ],
  [
    "at least three when active",
    {},
    { minReplicaCount: 3, idleReplicaCount: 0 },
    "clamp_min(sum((sum(rate(hits[2m]))) > 0 < Inf), 300) or vector(0)",
  ],
  ["a comment at the end", { query: "hits # all" }, {}, "sum((\nhits # all\n) > 0 < Inf) or vector(0)"],
  [
    "a template's brackets",
    { query: 'hits{a="<<"}' },
    {},
    'sum((hits{a="<<"<<">>"}) > 0 < Inf) or vector(0)',
  ],
])("a query of which %s", async (_, metadata, bounds, query) => {
  expect(metricsQuery(await convertKeda({ ...bounds, triggers: [prometheus(metadata)] }))).toBe(query);
});

test("a cron trigger is a floor, up to the maximum and from the minimum on", async () => {
  const converted = await convertKeda({
    minReplicaCount: 4,
    maxReplicaCount: 12,
    triggers: [
      prometheus(),
      cron({}, { name: "office" }),
      cron({ desiredReplicas: "20" }),
      cron({ desiredReplicas: "2" }),
    ],
  });
  const zone = { timeZone: "Europe/Berlin", start: "0 8 * * 1-5", end: "0 18 * * 1-5" };
  expect(specOf(converted)["schedules"]).toEqual([
    { name: "office", ...zone, minReplicas: 10 },
    { name: "cron-2", ...zone, minReplicas: 12 },
    { name: "cron-3", ...zone, minReplicas: 4 },
  ]);
  expect(paths(converted.notes)).toEqual(["spec.triggers[2].metadata.desiredReplicas"]);
});

test("without pods at night: cron alone by the minimum, with cpu by an entry of the other times", async () => {
  const alone = await convertKeda({ minReplicaCount: 0, triggers: [cron()] });
  expect(specOf(alone)).toMatchObject({ minReplicas: 0, schedules: [{ minReplicas: 10 }] });
  expect(specOf(alone)).not.toHaveProperty("metrics");
  // The example of KEDA's documentation.
  const both = await convertKeda({
    minReplicaCount: 0,
    maxReplicaCount: 4,
    triggers: [cron({ desiredReplicas: "1" }), cpu],
  });
  expect(specOf(both)).toMatchObject({
    minReplicas: 1,
    maxReplicas: 4,
    adopt: "FromZero",
    schedules: [
      { name: "cron-0", start: "0 8 * * 1-5", end: "0 18 * * 1-5", minReplicas: 1 },
      { name: "cron-0-off", start: "0 18 * * 1-5", end: "0 8 * * 1-5", replicas: 0 },
    ],
  });
});

test.each<[name: string, spec: Fields, minReplicas: number, notes: readonly string[]]>([
  ["cpu alone", { minReplicaCount: 0, triggers: [cpu] }, 1, ["spec.minReplicaCount"]],
  [
    "cpu with two cron triggers",
    { minReplicaCount: 0, triggers: [cpu, cron(), cron()] },
    1,
    ["spec.minReplicaCount"],
  ],
  ["cpu with a query", { minReplicaCount: 0, triggers: [cpu, prometheus()] }, 0, ["spec.minReplicaCount"]],
  [
    "an activationThreshold below 0",
    { minReplicaCount: 0, triggers: [prometheus({ activationThreshold: "-1" })] },
    1,
    ["spec.minReplicaCount"],
  ],
  [
    "idle with a Value",
    { minReplicaCount: 2, idleReplicaCount: 0, triggers: [prometheus({}, { metricType: "Value" })] },
    2,
    ["spec.idleReplicaCount"],
  ],
  ["idle and minimum 0", { minReplicaCount: 0, idleReplicaCount: 0 }, 0, []],
  [
    "a high activationThreshold of one of two triggers",
    { minReplicaCount: 0, triggers: [prometheus({ activationThreshold: "500" }), prometheus()] },
    0,
    ["spec.triggers[0].metadata.activationThreshold"],
  ],
])("the least replicas of %s, and what differs", async (_, spec, minReplicas, notes) => {
  const converted = await convertKeda({ cooldownPeriod: minReplicas === 0 ? 300 : undefined, ...spec });
  expect(specOf(converted)["minReplicas"]).toBe(minReplicas);
  expect(paths(converted.notes)).toEqual(notes);
});

test.each<[name: string, fallback: Fields, type: string, policy: Fields | undefined]>([
  ["static", { replicas: 6 }, "AverageValue", { policy: "Assume", value: "600" }],
  ["static of nothing", { replicas: 0 }, "AverageValue", { policy: "Assume", value: "0" }],
  ["static, Value", { replicas: 6 }, "Value", { policy: "Fallback", replicas: 6, allowScaleDown: true }],
  [
    "static after three failures",
    { replicas: 6, failureThreshold: 3 },
    "AverageValue",
    { policy: "Assume", value: "600", afterSeconds: 45 },
  ],
  [
    "static after one failure, Value",
    { replicas: 3, failureThreshold: 1 },
    "Value",
    { policy: "Fallback", replicas: 3, allowScaleDown: true, afterSeconds: 15 },
  ],
  [
    "static after more failures than can be waited for",
    { replicas: 0, failureThreshold: 9999 },
    "Value",
    { policy: "Assume", value: "0", afterSeconds: 86400 },
  ],
  [
    "currentReplicas after one failure",
    { behavior: "currentReplicas", failureThreshold: 1 },
    "Value",
    undefined,
  ],
  ["currentReplicas", { replicas: 6, behavior: "currentReplicas" }, "AverageValue", undefined],
  [
    "currentReplicasIfHigher",
    { replicas: 6, behavior: "currentReplicasIfHigher" },
    "AverageValue",
    { policy: "Fallback", replicas: 6 },
  ],
  ["currentReplicasIfLower", { replicas: 6, behavior: "currentReplicasIfLower" }, "AverageValue", undefined],
])("a fallback of behavior %s", async (_, fallback, metricType, policy) => {
  const converted = await convertKeda({
    fallback: { failureThreshold: 0, ...fallback },
    triggers: [prometheus({}, { metricType })],
  });
  const [metric] = specOf(converted)["metrics"] as readonly Fields[];
  expect(metric?.["onMetricFailure"]).toEqual(policy);
});

const named = (name: string, metadata: Fields = {}) =>
  prometheus({ query: `sum(${name})`, ...metadata }, { name });
const formula = (text: string, rest: Fields = {}, triggers = [named("rps"), named("queue")]) => ({
  advanced: { scalingModifiers: { formula: text, target: "10", ...rest } },
  triggers,
});

test("a formula over two queries of one server is one query", async () => {
  const converted = await convertKeda(formula("(rps + queue) / 2", { metricType: "AverageValue" }));
  expect(converted.problems).toEqual([]);
  expect(specOf(converted)["metrics"]).toMatchObject([
    { external: { metric: { name: "web.shop.s0" }, target: { type: "AverageValue", averageValue: "10" } } },
  ]);
  expect(metricsQuery(converted)).toBe(
    "( (sum((sum(rps)) > -Inf < Inf) or vector(0)) + (sum((sum(queue)) > -Inf < Inf) or vector(0)) ) / 2",
  );
  const strict = formula("rps-queue*1.5", { metricType: "Value" }, [
    named("rps", { ignoreNullValues: "false" }),
    named("queue", { ignoreNullValues: "false" }),
  ]);
  const value = await convertKeda({ ...strict, triggers: [...strict.triggers, cpu] });
  expect(specOf(value)["metrics"]).toMatchObject([
    { external: { target: { type: "Value", value: "10" } } },
    { type: "Resource" },
  ]);
  expect(metricsQuery(value)).toBe("sum((sum(rps))) - sum((sum(queue))) * 1.5");
});

test.each<[formula: string, spec: Fields, message: string]>([
  ["max(rps, queue)", {}, "has max, which is not the name of a prometheus trigger"],
  ["rps > 3 ? 1 : 0", {}, "has no equivalent from"],
  ["rps +", {}, "is not a formula"],
  ["1 + 1", {}, "has no name of a trigger"],
  ["rps + other", {}, "has other, which is not the name of a prometheus trigger"],
  ["rps", { triggers: [named("rps"), cron()] }, "together with a cron trigger"],
  [
    "rps + queue",
    { triggers: [named("rps"), named("queue", { serverAddress: "http://other:9090" })] },
    "has queries of several servers",
  ],
])("the formula %s is an error", async (text, spec, message) => {
  const { problems } = await convertKeda({ ...formula(text), ...spec });
  expect(problems).toMatchObject([
    { path: "spec.advanced.scalingModifiers.formula", message: expect.stringContaining(message) },
  ]);
});
