import { type DecideInput, decide } from "@plimsoll/core";
import type { KubeObject } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { createPodProjection } from "../../src/pods/pod-view.ts";

const raw = (name: string, options: { readonly status?: object; readonly metadata?: object } = {}) =>
  ({
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      resourceVersion: "7",
      labels: { app: "shop" },
      managedFields: [{ manager: "kubelet" }],
      ...options.metadata,
    },
    spec: {
      nodeName: "n1",
      containers: [
        { name: "main", image: "x", resources: { requests: { cpu: "100m" }, limits: { cpu: "1" } } },
      ],
    },
    status: {
      phase: "Running",
      startTime: "2030-01-01T00:00:00Z",
      podIP: "10.0.0.1",
      conditions: [
        { type: "PodScheduled", status: "True" },
        { type: "Ready", status: "True", lastTransitionTime: "2030-01-01T00:00:05Z" },
      ],
      ...options.status,
    },
  }) as KubeObject;

test("a pod is cut down to what the math reads", () => {
  expect(JSON.parse(JSON.stringify(createPodProjection()(raw("a"))))).toEqual({
    metadata: {
      name: "a",
      namespace: "default",
      uid: "uid-a",
      resourceVersion: "7",
      labels: { app: "shop" },
    },
    spec: { containers: [{ name: "main", resources: { requests: { cpu: "100m" } } }] },
    status: {
      phase: "Running",
      startTime: "2030-01-01T00:00:00Z",
      conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2030-01-01T00:00:05Z" }],
    },
  });
});

test("pods of one template share what they have in common", () => {
  const project = createPodProjection();
  const [one, other] = [project(raw("a")), project(raw("b"))];
  expect(other.spec).toBe(one.spec);
  expect(other.metadata.labels).toBe(one.metadata.labels);
  expect(other.metadata.name).toBe("b");
});

test.each([
  ["being deleted", { metadata: { deletionTimestamp: "2030-01-01T01:00:00Z" } }],
  ["pending", { status: { phase: "Pending", startTime: null, conditions: null } }],
  ["without labels", { metadata: { labels: undefined } }],
  ["failed", { status: { phase: "Failed" } }],
])("a pod that is %s counts as the whole pod would", (_what, changes) => {
  const input = (pods: readonly KubeObject[]): DecideInput => ({
    nowMs: Date.parse("2030-01-01T00:10:00Z"),
    hpa: {
      metadata: { name: "shop", namespace: "default" },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
        maxReplicas: 10,
        metrics: [
          {
            type: "Resource",
            resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
          },
        ],
      },
    },
    scale: { ok: true, specReplicas: 2, statusReplicas: 2, selector: "app=shop" },
    pods: { ok: true, pods },
    samples: [
      {
        pods: ["a", "b"].map((name) => ({
          name,
          timestamp: "2030-01-01T00:09:50Z",
          windowSeconds: 30,
          containers: { main: { cpu: "90m" } },
        })),
      },
    ],
  });
  const whole = [raw("a"), raw("b", changes)];
  expect(decide(input(whole.map(createPodProjection()))).decision).toEqual(decide(input(whole)).decision);
});
