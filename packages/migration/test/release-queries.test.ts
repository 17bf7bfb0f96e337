import type { ServedObject } from "@plimsoll/observe";
import { expect, test } from "vitest";
import { hpaOf } from "../src/release/hpa-of.ts";

const target = { type: "AverageValue", averageValue: "100" };
const wla = {
  apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
  kind: "WorkloadAutoscaler",
  metadata: { name: "shop", namespace: "default" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
    maxReplicas: 9,
    metrics: [
      { type: "Query", query: { promql: "sum(a)", target } },
      { type: "Query", query: { promql: "sum by (pod) (b)", podLabel: "pod", target } },
    ],
  },
} as object as ServedObject;

test("the HPA of a WorkloadAutoscaler asks for its queries by names, and the plan says what has to give them", () => {
  const { hpa, differences } = hpaOf(wla, "shop", { hasTolerance: true, hasZero: true });
  expect(hpa).toMatchObject({
    spec: {
      metrics: [
        { type: "External", external: { metric: { name: "shop-query-0" }, target } },
        { type: "Pods", pods: { metric: { name: "shop-query-1" }, target } },
      ],
    },
  });
  expect(JSON.stringify(hpa)).not.toContain("promql");
  expect(differences).toMatchObject([
    { path: "spec.metrics[0].query", instead: expect.stringContaining("apply a MetricRule of this name") },
    { path: "spec.metrics[1].query" },
  ]);
});
