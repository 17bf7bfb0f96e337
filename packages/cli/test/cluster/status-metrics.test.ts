import { expect, test } from "vitest";
import { statusMetrics } from "../../src/decisions/status-summary.ts";

const served = (apiVersion: string, kind: string) => ({
  apiVersion,
  kind,
  metadata: { name: "shop", namespace: "default" },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" }, maxReplicas: 10 },
});

test("a WorkloadAutoscaler with schedules alone has no metric, an HPA without metrics has the API server's", () => {
  expect(statusMetrics(served("autoscaling.plimsoll.dev/v1alpha1", "WorkloadAutoscaler"))).toEqual([]);
  expect(statusMetrics(served("autoscaling/v2", "HorizontalPodAutoscaler"))).toEqual([
    { name: "cpu", value: null, target: "80%", ratio: null },
  ]);
});

test("only the resource memory is in bytes", () => {
  const { spec, ...object } = served("autoscaling/v2", "HorizontalPodAutoscaler");
  const target = { type: "AverageValue", averageValue: "512Mi" };
  const metrics = [
    { type: "Resource", resource: { name: "memory", target } },
    { type: "External", external: { metric: { name: "memory" }, target } },
  ];
  const found = statusMetrics({ ...object, spec: { ...spec, metrics } });
  expect(found.map(({ name, isBytes }) => [name, isBytes])).toEqual([
    ["memory", true],
    ["memory", undefined],
  ]);
});
