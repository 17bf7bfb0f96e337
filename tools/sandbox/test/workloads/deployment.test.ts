import { expect, test } from "vitest";
import { podCondition } from "../../src/workloads/pod.ts";
import type { Workload } from "../../src/workloads/workload.ts";
import { workload, workloadRig } from "./workload-rig.ts";

const deployments = "deployments.apps";

function deployed(replicas: number, options: Partial<Parameters<typeof workload>[0]> = {}) {
  const rig = workloadRig({ readyDelayMs: 2000, terminationMs: 1000 });
  rig.store.create(deployments, workload({ kind: "Deployment", name: "router", replicas, ...options }));
  return rig;
}

test("a Deployment gets a ReplicaSet and pods that become Ready after the delay", async () => {
  const rig = deployed(3);
  await rig.clock.advance(1999);
  expect(rig.pods()).toHaveLength(3);
  const [pod] = rig.pods();
  expect(pod?.status?.phase).toBe("Running");
  expect(pod?.status?.startTime).toBe("2026-05-01T10:00:00Z");
  expect(pod?.spec?.nodeName).toMatch(/^sandbox-node-[12]$/);
  expect(new Set(rig.pods().map((one) => one.status?.podIP)).size).toBe(3);
  expect(rig.readyPods()).toHaveLength(0);
  expect(rig.get(deployments, "router")?.status).toMatchObject({ replicas: 3, unavailableReplicas: 3 });
  await rig.clock.advance(1);
  expect(rig.readyPods()).toHaveLength(3);
  expect(podCondition(rig.readyPods()[0] ?? { metadata: { name: "" } }, "Ready")?.lastTransitionTime).toBe(
    "2026-05-01T10:00:02Z",
  );
  const status = rig.get(deployments, "router")?.status;
  expect(status).toMatchObject({
    observedGeneration: 1,
    replicas: 3,
    updatedReplicas: 3,
    readyReplicas: 3,
    availableReplicas: 3,
  });
  expect(status?.["unavailableReplicas"]).toBeUndefined();
  expect(status?.conditions?.map(({ type, status, reason }) => [type, status, reason])).toEqual([
    ["Available", "True", "MinimumReplicasAvailable"],
    ["Progressing", "True", "NewReplicaSetAvailable"],
  ]);
  const [replicaSet] = rig.store.list("replicasets.apps") as Workload[];
  const hash = replicaSet?.metadata.labels?.["pod-template-hash"];
  expect(replicaSet?.metadata.name).toBe(`router-${hash}`);
  expect(replicaSet?.metadata.ownerReferences?.[0]).toMatchObject({
    kind: "Deployment",
    name: "router",
    controller: true,
  });
  expect(rig.pods()[0]?.metadata.ownerReferences?.[0]).toMatchObject({
    kind: "ReplicaSet",
    name: `router-${hash}`,
  });
  expect(rig.pods()[0]?.metadata.labels).toEqual({ app: "router", "pod-template-hash": hash });
});

test("a pod being watched goes Pending, Running, Ready", async () => {
  const rig = workloadRig({ readyDelayMs: 1000 });
  const seen: string[] = [];
  rig.store.subscribe(({ resource, type, object }) => {
    if (resource !== "pods") return;
    const status = object.status as { phase: string; conditions?: { type: string; status: string }[] };
    seen.push(
      `${type} ${status.phase} ${status.conditions?.find((one) => one.type === "Ready")?.status ?? "-"}`,
    );
  });
  rig.store.create(deployments, workload({ kind: "Deployment", name: "one", replicas: 1 }));
  await rig.clock.advance(5000);
  rig.store.delete(deployments, "default", "one");
  await rig.clock.advance(5000);
  expect(seen).toEqual([
    "ADDED Pending -",
    "MODIFIED Running False",
    "MODIFIED Running True",
    "MODIFIED Running True",
    "DELETED Running True",
  ]);
});

test("the ready-delay annotation on the template overrides the default", async () => {
  const rig = deployed(1, { annotations: { "sandbox.plimsoll.dev/ready-delay": "10s" } });
  await rig.clock.advance(9999);
  expect(rig.readyPods()).toHaveLength(0);
  await rig.clock.advance(1);
  expect(rig.readyPods()).toHaveLength(1);
});

test("scaling down takes the pods that are not ready first, then the newest, and they vanish after the grace", async () => {
  const rig = deployed(2);
  await rig.clock.advance(5000);
  const oldest = rig.pods().map((pod) => pod.metadata.name);
  rig.scale(deployments, "router", 3);
  await rig.clock.advance(3000);
  const third = rig
    .pods()
    .map((pod) => pod.metadata.name)
    .find((name) => !oldest.includes(name));
  rig.scale(deployments, "router", 4);
  await rig.clock.advance(500);
  const terminating = () => rig.pods().filter((pod) => pod.metadata.deletionTimestamp !== undefined);
  rig.scale(deployments, "router", 2);
  await rig.clock.advance(0);
  expect(terminating()).toHaveLength(2);
  expect(terminating().map((pod) => pod.metadata.name)).toContain(third);
  expect(rig.get(deployments, "router")?.status?.replicas).toBe(2);
  await rig.clock.advance(999);
  expect(rig.pods()).toHaveLength(4);
  await rig.clock.advance(1);
  expect(rig.pods().map((pod) => pod.metadata.name)).toEqual(oldest);
});

test("a new template rolls over within surge and unavailable limits", async () => {
  const rig = deployed(4);
  await rig.clock.advance(5000);
  let most = 0;
  let fewest = 99;
  rig.store.subscribe(({ resource }) => {
    if (resource !== "pods") return;
    most = Math.max(most, rig.pods().filter((pod) => pod.metadata.deletionTimestamp === undefined).length);
    fewest = Math.min(fewest, rig.readyPods().length);
  });
  rig.setImage(deployments, "router", "example/main:2");
  await rig.clock.advance(1);
  expect(
    rig.get(deployments, "router")?.status?.conditions?.find((one) => one.type === "Progressing")?.reason,
  ).toBe("ReplicaSetUpdated");
  await rig.clock.advance(60_000);
  expect([fewest, most]).toEqual([3, 5]);
  expect(rig.pods().map((pod) => pod.spec?.containers?.[0]?.image)).toEqual(Array(4).fill("example/main:2"));
  expect(rig.get(deployments, "router")?.status).toMatchObject({
    observedGeneration: 2,
    replicas: 4,
    updatedReplicas: 4,
  });
  const replicaSets = rig.store.list("replicasets.apps") as Workload[];
  expect(replicaSets.map((one) => one.spec?.replicas)).toEqual(expect.arrayContaining([0, 4]));
  const revisions = replicaSets.map((one) => one.metadata.annotations?.["deployment.kubernetes.io/revision"]);
  expect(new Set(revisions)).toEqual(new Set(["1", "2"]));
  rig.setImage(deployments, "router", "example/main:1");
  await rig.clock.advance(60_000);
  expect(rig.store.list("replicasets.apps")).toHaveLength(2);
  expect(rig.get(deployments, "router")?.metadata.annotations?.["deployment.kubernetes.io/revision"]).toBe(
    "3",
  );
});

test("Recreate ends all old pods before the first new one", async () => {
  const rig = deployed(2, { spec: { strategy: { type: "Recreate" } } });
  await rig.clock.advance(5000);
  rig.setImage(deployments, "router", "example/main:2");
  await rig.clock.advance(999);
  expect(rig.pods().map((pod) => pod.spec?.containers?.[0]?.image)).toEqual(Array(2).fill("example/main:1"));
  await rig.clock.advance(5000);
  expect(rig.pods().map((pod) => pod.spec?.containers?.[0]?.image)).toEqual(Array(2).fill("example/main:2"));
});

test("a rollout that never becomes ready keeps the old pods and runs into its deadline", async () => {
  const rig = deployed(4, { spec: { progressDeadlineSeconds: 30 } });
  await rig.clock.advance(5000);
  rig.edit(deployments, "router", (object) => {
    const { spec } = object as Workload;
    const annotations = { "sandbox.plimsoll.dev/phase": "NeverReady" };
    return {
      ...object,
      spec: {
        ...spec,
        template: { ...spec?.template, metadata: { ...spec?.template?.metadata, annotations } },
      },
    };
  });
  await rig.clock.advance(60_000);
  expect(rig.readyPods()).toHaveLength(3);
  const conditions = rig.get(deployments, "router")?.status?.conditions ?? [];
  expect(conditions.find((one) => one.type === "Progressing")).toMatchObject({
    status: "False",
    reason: "ProgressDeadlineExceeded",
  });
  expect(conditions.find((one) => one.type === "Available")?.status).toBe("True");
});

test("minReadySeconds holds back availability, not readiness", async () => {
  const rig = deployed(1, { spec: { minReadySeconds: 5 } });
  await rig.clock.advance(6999);
  expect(rig.get(deployments, "router")?.status).toMatchObject({ readyReplicas: 1, unavailableReplicas: 1 });
  await rig.clock.advance(1);
  expect(rig.get(deployments, "router")?.status?.availableReplicas).toBe(1);
});

test("a deleted Deployment takes its ReplicaSets and pods along, and leaves no timer", async () => {
  const rig = deployed(3);
  await rig.clock.advance(5000);
  rig.store.delete(deployments, "default", "router");
  await rig.clock.advance(2000);
  expect(rig.pods()).toEqual([]);
  expect(rig.store.list("replicasets.apps")).toEqual([]);
  rig.workloads.stop();
  expect(rig.clock.pendingTimers).toBe(0);
});

test("foreground deletion waits for the dependents, orphaning leaves them", async () => {
  const rig = deployed(2);
  await rig.clock.advance(5000);
  const finalize = (finalizer: string) => (object: { metadata: object }) =>
    ({
      ...object,
      metadata: { ...object.metadata, deletionTimestamp: "2026-05-01T10:00:05Z", finalizers: [finalizer] },
    }) as never;
  const [replicaSet] = rig.store.list("replicasets.apps");
  rig.edit("replicasets.apps", replicaSet?.metadata.name ?? "", finalize("foregroundDeletion"));
  await rig.clock.advance(500);
  expect(rig.get("replicasets.apps", replicaSet?.metadata.name ?? "")).toBeDefined();
  await rig.clock.advance(10_000);
  expect(rig.get("replicasets.apps", replicaSet?.metadata.name ?? "")?.metadata.uid).not.toBe(
    replicaSet?.metadata.uid,
  );
  rig.edit(deployments, "router", finalize("orphan"));
  await rig.clock.advance(10_000);
  expect(rig.get(deployments, "router")).toBeUndefined();
  const pods = rig.pods();
  expect(pods).toHaveLength(2);
  expect(pods.every((pod) => pod.metadata.deletionTimestamp === undefined)).toBe(true);
  rig.store.create(deployments, workload({ kind: "Deployment", name: "router", replicas: 2 }));
  await rig.clock.advance(5000);
  expect(rig.pods().map((pod) => pod.metadata.name)).toEqual(pods.map((pod) => pod.metadata.name));
  expect(rig.get(deployments, "router")?.status).toMatchObject({ replicas: 2, updatedReplicas: 2 });
});

test("an owner of any kind waits for its dependents in the foreground", async () => {
  const rig = workloadRig({ readyDelayMs: 0, terminationMs: 1000 });
  const owner = rig.store.create("widgets.example.com", {
    metadata: { name: "owner", namespace: "default" },
  });
  const ownerReferences = [
    { apiVersion: "example.com/v1", kind: "Widget", name: "owner", uid: owner.metadata.uid ?? "" },
  ];
  rig.store.create("pods", {
    metadata: { name: "owned", namespace: "default", ownerReferences },
    spec: { containers: [{ name: "main" }] },
  });
  rig.store.create("configmaps", { metadata: { name: "owned", namespace: "default", ownerReferences } });
  await rig.clock.advance(100);
  rig.edit("widgets.example.com", "owner", (object) => ({
    ...object,
    metadata: {
      ...object.metadata,
      deletionTimestamp: "2026-05-01T10:00:00Z",
      finalizers: ["foregroundDeletion"],
    },
  }));
  await rig.clock.advance(999);
  expect(rig.store.list("configmaps")).toEqual([]);
  expect(rig.pods()).toHaveLength(1);
  expect(rig.store.list("widgets.example.com")).toHaveLength(1);
  await rig.clock.advance(1);
  expect(rig.pods()).toEqual([]);
  expect(rig.store.list("widgets.example.com")).toEqual([]);
});

test("a Deployment deleted in the foreground goes last", async () => {
  const rig = deployed(2);
  await rig.clock.advance(5000);
  const order: string[] = [];
  rig.store.subscribe(({ type, object }) => {
    if (type === "DELETED") order.push(object.kind ?? "");
  });
  rig.edit(deployments, "router", (object) => ({
    ...object,
    metadata: {
      ...object.metadata,
      deletionTimestamp: "2026-05-01T10:00:05Z",
      finalizers: ["foregroundDeletion"],
    },
  }));
  await rig.clock.advance(5000);
  expect(order).toEqual(["Pod", "Pod", "ReplicaSet", "Deployment"]);
});
