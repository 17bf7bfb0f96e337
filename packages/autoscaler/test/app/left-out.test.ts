import { createLogger } from "@plimsoll/component-base/logger";
import { manualClock } from "@plimsoll/component-base/testing";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { createLeftOutNotices } from "../../src/app/left-out-notices.ts";
import type { FakeApi, FakeObject } from "../fake-api.ts";
import { hpa, pod, rig, within, workload } from "../harness.ts";

/** More than is kept of one object. */
const labels = (length: number) =>
  Object.fromEntries(
    Array.from({ length }, (_, index) => [`label-${index}-${"k".repeat(50)}`, "v".repeat(63)]),
  );

const queue = {
  type: "External",
  external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "10" } },
};

function replicasOf(api: FakeApi, name: string): unknown {
  return (api.get("deployments", "default", name) as { spec?: { replicas?: number } } | undefined)?.spec
    ?.replicas;
}

function largePod(name: string): FakeObject {
  const one = pod(name, name);
  return { ...one, metadata: { ...one.metadata, labels: labels(10_000) } };
}

test("beside a pod that is left out nothing that counts pods is scaled down, and all the rest goes on", async () => {
  const clock = manualClock(Date.now());
  const { api, log, url } = await rig({
    clock,
    config: { syncPeriodMs: 15_000, downscaleStabilizationMs: 0 },
    before: (api) => {
      workload(api, "by-queue");
      workload(api, "down", { value: "1" });
      api.put("horizontalpodautoscalers", hpa("by-queue", { spec: { metrics: [queue] } }));
      api.metrics.set("/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue", {
        kind: "ExternalMetricValueList",
        items: [{ metricName: "queue", timestamp: new Date().toISOString(), value: "5" }],
      });
      api.put("pods", largePod("large"));
    },
  });
  await within(clock, 60_000, () => expect(replicasOf(api, "by-queue")).toBe(1));
  await clock.advance(60_000);
  expect(replicasOf(api, "down")).toBe(3);
  const { status } = api.get("horizontalpodautoscalers", "default", "down") as {
    readonly status?: { readonly conditions?: readonly object[] };
  };
  expect(JSON.stringify(status)).toContain("not scaled down: cannot read pod large: it takes ");
  const lines = log.filter(({ message }) => message === "an object is left out");
  expect(lines).toMatchObject([{ fields: { resource: "pods", namespace: "default", name: "large" } }]);
  const page = await (await fetch(`${url}/metrics`)).text();
  expect(page).toContain('plimsoll_objects_left_out_total{resource="pods"} 1');

  api.remove("pods", "default", "large");
  await within(clock, 60_000, () => expect(replicasOf(api, "down")).toBe(1));
});

test.each([
  ["horizontalpodautoscalers", "HorizontalPodAutoscaler", "autoscaling/v2"],
  ["workloadautoscalers", "WorkloadAutoscaler", "autoscaling.plimsoll.dev/v1alpha1"],
])("%s that are left out scale nothing until they are small enough", async (resource, kind, apiVersion) => {
  const clock = manualClock(Date.now());
  const selector = { matchLabels: labels(30_000) };
  const fat = { ...queue, external: { ...queue.external, metric: { name: "queue", selector } } };
  const objectOf = (metrics: readonly object[]) => ({
    ...hpa("fat", { spec: { metrics } }),
    apiVersion,
    kind,
  });
  const { api, inputs } = await rig({
    clock,
    config: { syncPeriodMs: 15_000 },
    before: (api) => {
      workload(api, "fat");
      api.remove("horizontalpodautoscalers", "default", "fat");
      workload(api, "slim");
      api.put(resource, objectOf([fat]));
      api.metrics.set("/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue", {
        kind: "ExternalMetricValueList",
        items: [{ metricName: "queue", timestamp: new Date().toISOString(), value: "60" }],
      });
    },
  });
  await clock.advance(60_000);
  expect(new Set(inputs.map(({ hpa }) => hpa.metadata?.name))).toEqual(new Set(["slim"]));
  expect(replicasOf(api, "fat")).toBe(3);
  await within(clock, 10_000, () =>
    expect(api.list("events")).toMatchObject([
      {
        type: "Warning",
        reason: "ObjectLeftOut",
        message: expect.stringContaining("bytes, and an object may take 4194304"),
        involvedObject: { apiVersion, kind, namespace: "default", name: "fat" },
      },
    ]),
  );
  api.put(resource, objectOf([queue]));
  await within(clock, 60_000, () => expect(replicasOf(api, "fat")).toBe(6));
});

test("a namespace gets at most 20 events in ten minutes, whatever others get", async () => {
  const clock = manualClock(0);
  const events: string[] = [];
  const { report } = createLeftOutNotices({
    kinds: [
      {
        resource: "horizontalpodautoscalers.autoscaling",
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        watch: { leftOut: () => [] },
      },
    ],
    has: () => true,
    events: { record: ({ namespace }) => void events.push(namespace ?? "") },
    clock,
    log: createLogger("error", { write: () => undefined }),
    registry: new Registry(),
  });
  const leaveOut = (namespace: string, name: string): void =>
    report("horizontalpodautoscalers.autoscaling", {
      namespace,
      name,
      bytes: 1,
      reason: "ObjectTooLarge",
      message: "too large",
    });
  for (let index = 0; index < 30; index++) leaveOut("noisy", `fat-${index}`);
  leaveOut("quiet", "fat");
  expect(events).toEqual([...Array<string>(20).fill("noisy"), "quiet"]);
  await clock.advance(600_000);
  leaveOut("noisy", "fat");
  expect(events.slice(21)).toEqual(["noisy"]);
});
