import { expect, test } from "vitest";
import { convertKeda, cpu, cron, prometheus } from "./keda-objects.ts";
import { type Fields, paths } from "./rig.ts";

/** Every documented field that has no equivalent, or another one, with the place that names it. */
test.each<[name: string, spec: Fields, notes: readonly string[]]>([
  ["pollingInterval", { minReplicaCount: 0, pollingInterval: 5 }, ["spec.pollingInterval"]],
  ["a long pollingInterval", { minReplicaCount: 0, pollingInterval: 60 }, ["spec.pollingInterval"]],
  ["pollingInterval of no effect", { pollingInterval: 30 }, ["spec.pollingInterval"]],
  ["cooldownPeriod", { minReplicaCount: 0, cooldownPeriod: 60 }, ["spec.cooldownPeriod"]],
  ["cooldownPeriod of no effect", { cooldownPeriod: 60 }, ["spec.cooldownPeriod"]],
  [
    "cooldownPeriod as the window",
    {
      minReplicaCount: 0,
      cooldownPeriod: 60,
      advanced: {
        horizontalPodAutoscalerConfig: { behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } },
      },
    },
    [],
  ],
  [
    "initialCooldownPeriod",
    { minReplicaCount: 0, initialCooldownPeriod: 120 },
    ["spec.initialCooldownPeriod"],
  ],
  [
    "failureThreshold",
    { fallback: { failureThreshold: 9999, replicas: 6 } },
    ["spec.fallback.failureThreshold"],
  ],
  [
    "a fallback without a query",
    { fallback: { failureThreshold: 3, replicas: 6 }, triggers: [cpu, cron()] },
    ["spec.fallback"],
  ],
  [
    "a trigger beside the formula",
    {
      advanced: { scalingModifiers: { formula: "a * 2", target: "5" } },
      triggers: [prometheus({}, { name: "a" }), prometheus(), cpu],
    },
    ["spec.triggers[1]"],
  ],
  [
    "the HPA's name",
    { advanced: { horizontalPodAutoscalerConfig: { name: "other" } } },
    ["spec.advanced.horizontalPodAutoscalerConfig.name"],
  ],
  [
    "restoreToOriginalReplicaCount",
    { advanced: { restoreToOriginalReplicaCount: true } },
    ["spec.advanced.restoreToOriginalReplicaCount"],
  ],
  [
    "envSourceContainerName",
    { scaleTargetRef: { name: "shop", envSourceContainerName: "app" } },
    ["spec.scaleTargetRef.envSourceContainerName"],
  ],
  [
    "authenticationRef",
    { triggers: [prometheus({ authModes: "bearer" }, { authenticationRef: { name: "prom" } })] },
    ["spec.triggers[0].authenticationRef"],
  ],
  ["authModes", { triggers: [prometheus({ authModes: "basic" })] }, ["spec.triggers[0].metadata.authModes"]],
  [
    "useCachedMetrics",
    { triggers: [prometheus({}, { useCachedMetrics: true })] },
    ["spec.triggers[0].useCachedMetrics"],
  ],
  ["namespace", { triggers: [prometheus({ namespace: "web" })] }, ["spec.triggers[0].metadata.namespace"]],
  [
    "queryParameters",
    { triggers: [prometheus({ queryParameters: "a=b" })] },
    ["spec.triggers[0].metadata.queryParameters"],
  ],
  [
    "awsRegion",
    { triggers: [prometheus({ awsRegion: "eu-west-1" })] },
    ["spec.triggers[0].metadata.awsRegion"],
  ],
  [
    "identityOwner",
    { triggers: [prometheus({ identityOwner: "pod" })] },
    ["spec.triggers[0].metadata.identityOwner"],
  ],
  ["timeout", { triggers: [prometheus({ timeout: "5m" })] }, ["spec.triggers[0].metadata.timeout"]],
  [
    "an unknown setting",
    { triggers: [prometheus({ treshold: "1" })] },
    ["spec.triggers[0].metadata.treshold"],
  ],
  [
    "a cron trigger of type Value",
    { triggers: [cron({}, { metricType: "Value" })] },
    ["spec.triggers[0].metricType"],
  ],
  [
    "a cron trigger whose ends are more than its starts",
    { triggers: [cron({ end: "0 18 * * *" })] },
    ["spec.triggers[0].metadata.start"],
  ],
])("%s is named, and stops nothing", async (_, spec, notes) => {
  const converted = await convertKeda(spec);
  expect(converted.problems).toEqual([]);
  expect(paths(converted.notes)).toEqual(notes);
  for (const { message, remedy } of converted.notes) expect([message, remedy]).not.toContain("");
});

test.each<[name: string, spec: Fields, path: string]>([
  [
    "another scaler",
    { triggers: [prometheus(), { type: "kafka", metadata: { topic: "a" } }] },
    "spec.triggers[1].type",
  ],
  [
    "scalingModifiers",
    { advanced: { scalingModifiers: { formula: "a+b", target: "2" } } },
    "spec.advanced.scalingModifiers.formula",
  ],
  ["no triggers", { triggers: [] }, "spec.triggers"],
  ["a misspelled field", { maxReplicas: 3 }, "spec.maxReplicas"],
  ["a minimum above the maximum", { minReplicaCount: 5, maxReplicaCount: 3 }, "spec.minReplicaCount"],
  ...Object.entries({
    foo: 1,
    stabilizationWindowSeconds: "300",
    policies: "none",
    selectPolicy: 5,
  }).map(([field, value]): [string, Fields, string] => [
    `${field} ${JSON.stringify(value)} of behavior`,
    { advanced: { horizontalPodAutoscalerConfig: { behavior: { scaleDown: { [field]: value } } } } },
    `spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.${field}`,
  ]),
  ["idle 0 without a minimum", { minReplicaCount: undefined, idleReplicaCount: 0 }, "spec.idleReplicaCount"],
  ["idle above the minimum", { minReplicaCount: 1, idleReplicaCount: 1 }, "spec.idleReplicaCount"],
  ["no target", { scaleTargetRef: {} }, "spec.scaleTargetRef.name"],
  [
    "one name twice",
    { triggers: [prometheus({}, { name: "a" }), cron({}, { name: "a" })] },
    "spec.triggers[1].name",
  ],
  ["a number in quotation marks", { minReplicaCount: "1" }, "spec.minReplicaCount"],
  [
    "no server",
    { triggers: [prometheus({ serverAddress: undefined })] },
    "spec.triggers[0].metadata.serverAddress",
  ],
  [
    "no address",
    { triggers: [prometheus({ serverAddress: "prometheus:9090" })] },
    "spec.triggers[0].metadata.serverAddress",
  ],
  ["no PromQL", { triggers: [prometheus({ query: "sum(" })] }, "spec.triggers[0].metadata.query"],
  ...['"text"', "scalar(hits)", "(-1) # hits", "hits[5m]", "hits[5m:1m] offset 1m"].map(
    (query): [string, Fields, string] => [
      `the query ${query}`,
      { triggers: [prometheus({ query })] },
      "spec.triggers[0].metadata.query",
    ],
  ),
  ["a threshold of 0", { triggers: [prometheus({ threshold: "0" })] }, "spec.triggers[0].metadata.threshold"],
  [
    "Utilization of a query",
    { triggers: [prometheus({}, { metricType: "Utilization" })] },
    "spec.triggers[0].metricType",
  ],
  [
    "no type of cpu",
    { triggers: [{ type: "cpu", metadata: { value: "3" } }] },
    "spec.triggers[0].metadata.type",
  ],
  [
    "a percentage in words",
    { triggers: [{ ...cpu, metadata: { value: "many" } }] },
    "spec.triggers[0].metadata.value",
  ],
  [
    "a zone within the schedule",
    { triggers: [cron({ start: "TZ=UTC 0 8 * * *" })] },
    "spec.triggers[0].metadata.start",
  ],
  ["a descriptor", { triggers: [cron({ start: "@daily" })] }, "spec.triggers[0].metadata.start"],
  [
    "an unknown zone",
    { triggers: [cron({ timezone: "Europe/Atlantis" })] },
    "spec.triggers[0].metadata.timezone",
  ],
  [
    "no replicas",
    { triggers: [cron({ desiredReplicas: "0" })] },
    "spec.triggers[0].metadata.desiredReplicas",
  ],
  [
    "a fallback of scalingModifiers",
    { fallback: { replicas: 1, behavior: "scalingModifiers" } },
    "spec.fallback.behavior",
  ],
  [
    "a policy that the API server refuses",
    {
      advanced: {
        horizontalPodAutoscalerConfig: {
          behavior: { scaleDown: { policies: [{ type: "Percent", value: -1, periodSeconds: 15 }] } },
        },
      },
    },
    "spec.advanced.horizontalPodAutoscalerConfig.behavior.scaleDown.policies[0].value",
  ],
])("%s is a problem with its path, and nothing is written", async (_, spec, path) => {
  const { code, objects, rules, problems } = await convertKeda(spec);
  expect([code, objects, rules]).toEqual([1, [], []]);
  expect(paths(problems)).toContain(path);
});
