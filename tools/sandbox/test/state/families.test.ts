// What is exported of objects: the names, labels and values that kube-state-metrics v2.18 gives them.
import { expect, test } from "vitest";
import { renderExposition } from "../../src/load/exposition.ts";
import { stateFamilies } from "../../src/state/families.ts";
import type { StoredObject } from "../../src/storage/stored-object.ts";

const hpa: StoredObject = {
  metadata: { name: "shop", namespace: "default", generation: 3 },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
    minReplicas: 2,
    maxReplicas: 10,
    metrics: [
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } },
      },
      {
        type: "Pods",
        pods: { metric: { name: "packets" }, target: { type: "AverageValue", averageValue: "1k" } },
      },
      {
        type: "External",
        external: { metric: { name: "queue" }, target: { type: "Value", value: "30500m" } },
      },
    ],
  },
  status: {
    currentReplicas: 3,
    desiredReplicas: 4,
    currentMetrics: [
      {
        type: "Resource",
        resource: { name: "cpu", current: { averageUtilization: 71, averageValue: "355m" } },
      },
      { type: "Pods", pods: { metric: { name: "packets" }, current: { averageValue: "812500m" } } },
      { type: "" },
    ],
    conditions: [{ type: "ScalingActive", status: "True" }],
  },
};

const deployment: StoredObject = {
  metadata: { name: "shop", namespace: "default", generation: 5 },
  spec: { replicas: 4 },
  status: { replicas: 4, readyReplicas: 3, availableReplicas: 3 },
};

const pod: StoredObject = {
  metadata: {
    name: "shop-5d4cf56db6-abcde",
    namespace: "default",
    uid: "u1",
    creationTimestamp: "2026-11-20T00:00:10Z",
    deletionTimestamp: "2026-11-20T00:05:40Z",
    ownerReferences: [
      { apiVersion: "apps/v1", kind: "ReplicaSet", name: "shop-5d4cf56db6", uid: "u2", controller: true },
    ],
  },
  spec: {
    nodeName: "node-1",
    containers: [
      { name: "app", resources: { requests: { cpu: "500m", memory: "128Mi", "example.org/gpu": 1 } } },
    ],
  },
  status: {
    phase: "Running",
    startTime: "2026-11-20T00:00:11Z",
    conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2026-11-20T00:00:31Z" }],
  },
};

const empty = { list: () => [] };

test("each family of an autoscaler, its target and a pod", async () => {
  const objects: Readonly<Record<string, readonly StoredObject[]>> = {
    "horizontalpodautoscalers.autoscaling": [hpa],
    "deployments.apps": [deployment],
    pods: [pod, { metadata: { name: "bare", namespace: "default" } }],
  };
  const text = renderExposition(stateFamilies({ list: (resource) => objects[resource] ?? [] }));
  const lines = text.split("\n").filter((line) => !line.startsWith("#"));
  await expect(lines.join("\n")).toMatchFileSnapshot("families.txt");
  expect(text).toContain("# TYPE kube_pod_created gauge\n");
});

test("a cluster without objects has none", () => {
  expect(stateFamilies(empty)).toEqual([]);
});
