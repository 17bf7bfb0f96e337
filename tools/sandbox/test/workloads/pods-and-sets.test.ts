import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { createKeyedQueue } from "../../src/workloads/keyed-queue.ts";
import { isReady } from "../../src/workloads/pod.ts";
import { templateHash } from "../../src/workloads/template-hash.ts";
import { workload, workloadRig } from "./workload-rig.ts";

test("ReplicaSets and ReplicationControllers without a Deployment keep their pods too", async () => {
  const rig = workloadRig({ readyDelayMs: 0, terminationMs: 0 });
  rig.store.create("replicasets.apps", workload({ kind: "ReplicaSet", name: "bare", replicas: 2 }));
  rig.store.create(
    "replicationcontrollers",
    workload({ kind: "ReplicationController", name: "old", replicas: 3 }),
  );
  await rig.clock.advance(10);
  expect(rig.get("replicasets.apps", "bare")?.status).toMatchObject({ replicas: 2, readyReplicas: 2 });
  expect(rig.get("replicationcontrollers", "old")?.status).toMatchObject({
    replicas: 3,
    availableReplicas: 3,
  });
  rig.store.delete("pods", "default", rig.pods()[0]?.metadata.name ?? "");
  await rig.clock.advance(10);
  expect(rig.pods()).toHaveLength(5);
  rig.scale("replicationcontrollers", "old", 0);
  await rig.clock.advance(10);
  expect(rig.pods()).toHaveLength(2);
  expect(rig.get("replicationcontrollers", "old")?.status?.replicas).toBe(0);
});

test("a StatefulSet makes its pods in order and ends them in reverse", async () => {
  const rig = workloadRig({ readyDelayMs: 1000, terminationMs: 1000 });
  rig.store.create("statefulsets.apps", workload({ kind: "StatefulSet", name: "db", replicas: 3 }));
  const names = () => rig.pods().map((pod) => pod.metadata.name);
  await rig.clock.advance(0);
  expect(names()).toEqual(["db-0"]);
  await rig.clock.advance(1000);
  expect(names()).toEqual(["db-0", "db-1"]);
  await rig.clock.advance(5000);
  expect(names()).toEqual(["db-0", "db-1", "db-2"]);
  expect(rig.get("statefulsets.apps", "db")?.status).toMatchObject({
    observedGeneration: 1,
    replicas: 3,
    readyReplicas: 3,
    currentReplicas: 3,
    updatedReplicas: 3,
  });
  rig.scale("statefulsets.apps", "db", 1);
  await rig.clock.advance(1500);
  expect(names()).toEqual(["db-0", "db-1"]);
  await rig.clock.advance(5000);
  expect(names()).toEqual(["db-0"]);
});

test("a StatefulSet rolls a new template over from the highest pod and then moves its current revision", async () => {
  const rig = workloadRig({ readyDelayMs: 1000, terminationMs: 500 });
  rig.store.create("statefulsets.apps", workload({ kind: "StatefulSet", name: "db", replicas: 2 }));
  await rig.clock.advance(5000);
  const images = () => rig.pods().map((pod) => pod.spec?.containers?.[0]?.image);
  rig.setImage("statefulsets.apps", "db", "example/main:2");
  await rig.clock.advance(700);
  expect(images()).toEqual(["example/main:1", "example/main:2"]);
  const during = rig.get("statefulsets.apps", "db")?.status;
  expect(during?.["currentRevision"]).not.toBe(during?.["updateRevision"]);
  await rig.clock.advance(10_000);
  expect(images()).toEqual(["example/main:2", "example/main:2"]);
  const after = rig.get("statefulsets.apps", "db")?.status;
  expect(after?.["currentRevision"]).toBe(after?.["updateRevision"]);
});

test.each([
  ["Pending", "Pending", undefined],
  ["NeverReady", "Running", "running"],
  ["CrashLoop", "Running", "waiting"],
  ["Failed", "Failed", "terminated"],
  ["Succeeded", "Succeeded", "terminated"],
])("the phase annotation %s holds a pod in phase %s", async (annotation, phase, state) => {
  const rig = workloadRig({ readyDelayMs: 100 });
  rig.store.create("pods", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "alone",
      namespace: "default",
      annotations: { "sandbox.plimsoll.dev/phase": annotation },
    },
    spec: { containers: [{ name: "main" }] },
  });
  await rig.clock.advance(1000);
  const pod = rig.pods()[0];
  expect(pod?.status?.phase).toBe(phase);
  expect(pod === undefined ? undefined : isReady(pod)).toBe(false);
  expect(Object.keys(pod?.status?.containerStatuses?.[0]?.state ?? {})[0]).toBe(state);
});

test("a crashing pod counts its restarts and recovers when the annotation goes", async () => {
  const rig = workloadRig({ readyDelayMs: 100 });
  rig.store.create("pods", {
    metadata: {
      name: "alone",
      namespace: "default",
      annotations: { "sandbox.plimsoll.dev/phase": "CrashLoop" },
    },
    spec: { containers: [{ name: "main" }] },
  });
  await rig.clock.advance(31_000);
  expect(rig.pods()[0]?.status?.containerStatuses?.[0]?.restartCount).toBe(3);
  rig.edit("pods", "alone", (pod) => ({ ...pod, metadata: { ...pod.metadata, annotations: {} } }));
  await rig.clock.advance(1000);
  expect(rig.pods().every(isReady)).toBe(true);
});

test("a status written by hand stays until the pod's next stage", async () => {
  const rig = workloadRig({ readyDelayMs: 0 });
  rig.store.create("replicasets.apps", workload({ kind: "ReplicaSet", name: "bare", replicas: 1 }));
  await rig.clock.advance(10);
  const name = rig.pods()[0]?.metadata.name ?? "";
  rig.edit("pods", name, (pod) => ({
    ...pod,
    status: { phase: "Running", conditions: [{ type: "Ready", status: "False" }] },
  }));
  await rig.clock.advance(10_000);
  expect(rig.readyPods()).toHaveLength(0);
  expect(rig.get("replicasets.apps", "bare")?.status?.readyReplicas).toBeUndefined();
});

test("a restart of the controllers picks up what is there", async () => {
  const rig = workloadRig({ readyDelayMs: 500, terminationMs: 500 });
  rig.store.create("deployments.apps", workload({ kind: "Deployment", name: "web", replicas: 2 }));
  await rig.clock.advance(1000);
  const before = rig.pods().map((pod) => pod.metadata.resourceVersion);
  rig.workloads.stop();
  rig.scale("deployments.apps", "web", 3);
  await rig.clock.advance(5000);
  expect(rig.pods()).toHaveLength(2);
  rig.workloads.start();
  await rig.clock.advance(5000);
  expect(rig.readyPods()).toHaveLength(3);
  expect(rig.pods().map((pod) => pod.metadata.resourceVersion)).toEqual(expect.arrayContaining(before));
});

test("nodes are there and Ready", () => {
  const rig = workloadRig({ nodes: 3 });
  expect(rig.store.list("nodes").map((node) => node.metadata.name)).toEqual([
    "sandbox-node-1",
    "sandbox-node-2",
    "sandbox-node-3",
  ]);
});

test("the queue syncs a key once per turn and in time order", async () => {
  const clock = manualClock(0);
  const seen: string[] = [];
  const queue = createKeyedQueue({ clock, sync: (key) => seen.push(`${key}@${clock.nowMs()}`) });
  queue.addAfter("late", 50);
  queue.addAfter("late", 90);
  queue.addAfter("early", 20);
  queue.addAfter("late", 30);
  queue.add("now");
  queue.add("now");
  await clock.advance(25);
  expect(seen).toEqual(["now@0", "early@20"]);
  await clock.advance(10);
  expect(seen.at(-1)).toBe("late@30");
  queue.stop();
  expect(clock.pendingTimers).toBe(0);
});

test("an error of one key is reported and the others go on", async () => {
  const clock = manualClock(0);
  const seen: string[] = [];
  const errors: unknown[] = [];
  const queue = createKeyedQueue({
    clock,
    sync(key) {
      if (key === "bad") throw new Error("broken");
      seen.push(key);
    },
    onError: (error, key) => errors.push([key, String(error)]),
  });
  queue.add("bad");
  queue.add("good");
  await clock.advance(0);
  expect(seen).toEqual(["good"]);
  expect(errors).toEqual([["bad", "Error: broken"]]);
});

test("equal templates have equal hashes, however their empty fields are written", () => {
  const hash = templateHash({
    metadata: { labels: { a: "1", b: "2" } },
    spec: { containers: [{ name: "main" }] },
  });
  expect(hash).toMatch(/^[b-df-hj-np-tv-z2-9]{6,10}$/);
  expect(
    templateHash({
      spec: { containers: [{ resources: {}, name: "main", args: [] }], nodeName: "" },
      metadata: { creationTimestamp: null, labels: { b: "2", a: "1" } },
    }),
  ).toBe(hash);
  expect(
    templateHash({ metadata: { labels: { a: "1", b: "3" } }, spec: { containers: [{ name: "main" }] } }),
  ).not.toBe(hash);
  expect(templateHash(undefined)).toBe(templateHash({}));
});

test("a pod that was evicted never runs again, also after a restart of the controllers", async () => {
  const rig = workloadRig({ readyDelayMs: 500 });
  rig.store.create("replicasets.apps", workload({ kind: "ReplicaSet", name: "bare", replicas: 1 }));
  await rig.clock.advance(100);
  const name = rig.pods()[0]?.metadata.name ?? "";
  rig.edit("pods", name, (pod) => ({ ...pod, status: { phase: "Failed", reason: "Evicted" } }));
  await rig.clock.advance(2000);
  rig.workloads.stop();
  rig.workloads.start();
  await rig.clock.advance(2000);
  expect(rig.get("pods", name)?.status).toEqual({ phase: "Failed", reason: "Evicted" });
  expect(rig.readyPods()).toHaveLength(1);
});
