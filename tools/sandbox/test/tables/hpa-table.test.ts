import { canonicalQuantity } from "@plimsoll/core/internal/values";
import { expect, test } from "vitest";
import { hpaTargets } from "../../src/tables/hpa-targets.ts";
import { ago, block, print } from "./print.ts";

const resource = (target: object, current?: object, name = "cpu") => [
  { type: "Resource", resource: { name, target } },
  current === undefined ? undefined : { type: "Resource", resource: { name, current } },
];
const pods = (target: object, current?: object) => [
  { type: "Pods", pods: { metric: { name: "packets-per-second" }, target } },
  current === undefined
    ? undefined
    : { type: "Pods", pods: { metric: { name: "packets-per-second" }, current } },
];
const external = (target: object, current?: object) => [
  { type: "External", external: { metric: { name: "queue_depth" }, target } },
  current === undefined
    ? undefined
    : { type: "External", external: { metric: { name: "queue_depth" }, current } },
];
const object = (target: object, current?: object) => [
  { type: "Object", object: { metric: { name: "requests-per-second" }, target } },
  current === undefined
    ? undefined
    : { type: "Object", object: { metric: { name: "requests-per-second" }, current } },
];

function hpa(metrics: readonly (readonly unknown[])[], more: { min?: number | undefined } = { min: 2 }) {
  return {
    metadata: { name: "router", creationTimestamp: ago(47 * 3600) },
    spec: {
      ...(more.min === undefined ? {} : { minReplicas: more.min }),
      maxReplicas: 10,
      scaleTargetRef: { kind: "Deployment", name: "router", apiVersion: "apps/v1" },
      metrics: metrics.map(([spec]) => spec),
    },
    status: { currentReplicas: 4, currentMetrics: metrics.map(([, current]) => current ?? { type: "" }) },
  };
}

test("the columns", () => {
  const both = hpa([
    resource(
      { type: "Utilization", averageUtilization: 60 },
      { averageUtilization: 45, averageValue: "90m" },
    ),
    pods({ type: "AverageValue", averageValue: "1k" }, { averageValue: "1500m" }),
  ]);
  expect(print("horizontalpodautoscalers.autoscaling", [both, hpa([], { min: undefined })])).toBe(
    block(`
      NAME     REFERENCE           TARGETS                  MINPODS   MAXPODS   REPLICAS   AGE
      router   Deployment/router   cpu: 45%/60%, 1500m/1k   2         10        4          47h
      router   Deployment/router   <none>                   <unset>   10        4          47h
    `),
  );
});

test.each([
  ["cpu: 45%/60%", resource({ averageUtilization: 60 }, { averageUtilization: 45 })],
  ["cpu: <unknown>/60%", resource({ averageUtilization: 60 })],
  ["memory: 200Mi/1Gi", resource({ averageValue: "1024Mi" }, { averageValue: "200Mi" }, "memory")],
  ["cpu: <unknown>/500m", resource({ averageValue: "0.5" })],
  ["1500m/1k", pods({ averageValue: "1000" }, { averageValue: "1500m" })],
  ["<unknown>/1k", pods({ averageValue: "1k" })],
  ["<unknown>/30 (avg)", external({ averageValue: "30" })],
  ["22500m/30 (avg)", external({ averageValue: "30" }, { averageValue: "22500m" })],
  ["120/100", external({ value: "100" }, { value: "120" })],
  ["1900/2k", object({ value: "2k" }, { value: "1900" })],
  ["950/1k (avg)", object({ averageValue: "1k" }, { averageValue: "950" })],
  ["<unknown type>", [{ type: "Moon" }]],
])("a metric prints as %s", (text, metric) => {
  expect(hpaTargets(hpa([metric]))).toBe(text);
});

test("a container metric prints like its resource", () => {
  const spec = {
    type: "ContainerResource",
    containerResource: { name: "cpu", container: "main", target: { averageUtilization: 50 } },
  };
  const current = {
    type: "ContainerResource",
    containerResource: { name: "cpu", container: "main", current: { averageUtilization: 12 } },
  };
  expect(hpaTargets(hpa([[spec, current]]))).toBe("cpu: 12%/50%");
});

test("the third metric and those after it are only counted", () => {
  const one = pods({ averageValue: "1" }, { averageValue: "2" });
  expect(hpaTargets(hpa([one, one]))).toBe("2/1, 2/1");
  expect(hpaTargets(hpa([one, one, one]))).toBe("2/1, 2/1 + 1 more...");
  expect(hpaTargets(hpa([one, one, one, one]))).toBe("2/1, 2/1 + 2 more...");
});

test.each([
  ["1000", "1k"],
  ["1500", "1500"],
  ["0.5", "500m"],
  ["1500m", "1500m"],
  ["2000m", "2"],
  ["0", "0"],
  ["0.0000000001", "1n"],
  ["1024Mi", "1Gi"],
  ["1536Mi", "1536Mi"],
  ["0.5Gi", "512Mi"],
  ["512Ki", "512Ki"],
  ["100Ki", "100Ki"],
  ["0.5Ki", "512"],
  ["-1000", "-1k"],
  ["1e3", "1e3"],
  ["nonsense", "nonsense"],
])("the quantity %s prints as %s", (given, text) => {
  expect(canonicalQuantity(given)).toBe(text);
});
