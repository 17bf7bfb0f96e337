import { expect, test } from "vitest";
import { createCluster } from "../../src/cluster/cluster.ts";
import { crowdFaults } from "../../src/faults/crowds.ts";
import { gitOpsFaults } from "../../src/faults/gitops.ts";
import { otherControllerFaults } from "../../src/faults/other-controllers.ts";
import { crowdMember, crowdNamespace } from "../../src/objects/crowd.ts";
import { workloadObject } from "../../src/objects/workloads.ts";
import { createRandom } from "../../src/random/random.ts";
import type { World } from "../../src/run/world.ts";
import type { SetupObject } from "../../src/scenario/scenario.ts";
import { createVirtualTime } from "../../src/time/virtual-time.ts";

const workload = { kind: "Deployment", namespace: "default", name: "shop" } as const;
const hpa: SetupObject = {
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "shop", namespace: "default" },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" }, maxReplicas: 5 },
};

function faultRig() {
  const time = createVirtualTime(Date.parse("2026-06-01T12:00:00Z"));
  const cluster = createCluster({ time, random: createRandom(1) });
  const errors: unknown[] = [];
  const world = { time, cluster, record: (one: unknown) => errors.push(one) } as unknown as World;
  for (const object of [workloadObject(workload, { replicas: 3 }), hpa]) cluster.apply("user", object);
  const get = (resource: string) => cluster.store.get(resource, "default", "shop");
  const replicas = () =>
    (get("deployments.apps")?.spec as { readonly replicas?: number } | undefined)?.replicas;
  const managers = (resource: string): readonly unknown[] =>
    (get(resource)?.metadata.managedFields ?? []).map((entry) => (entry as { manager?: string }).manager);
  return {
    cluster,
    errors,
    replicas,
    managers,
    status: () => get("horizontalpodautoscalers.autoscaling")?.status,
    scale: (to: number) =>
      cluster.as("autoscaler-0", (store) => {
        const object = get("deployments.apps");
        if (object !== undefined)
          store.update("deployments.apps", { ...object, spec: { ...(object.spec as object), replicas: to } });
      }),
    pass: (seconds: number) => time.runUntil(time.nowMs + seconds * 1000),
    begin: (kind: string, details: object) =>
      ({ ...gitOpsFaults, ...otherControllerFaults, ...crowdFaults })[kind]?.begin(world, {
        id: 1,
        atMs: 0,
        forMs: 0,
        kind,
        details: { namespace: "default", name: "shop", ...details },
      }),
  };
}

const reset = { workload: "Deployment", replicas: 1, everyMs: 60_000, healMs: 1000 };

test("GitOps applies the replicas every so often, or as soon as they are others, until it ends", async () => {
  for (const [isSelfHealing, afterMs] of [
    [false, 60],
    [true, 1],
  ] as const) {
    const { begin, managers, pass, replicas, scale } = faultRig();
    const end = begin("replicas-reset", { ...reset, isSelfHealing });
    expect(replicas()).toBe(1);
    expect(managers("deployments.apps")).toContain("argocd-controller");
    scale(4);
    await pass(afterMs);
    expect(replicas()).toBe(1);
    end?.();
    scale(4);
    await pass(200);
    expect(replicas()).toBe(4);
  }
});

test("an upgrade of Helm sets the replicas once", async () => {
  const { begin, managers, pass, replicas, scale } = faultRig();
  begin("replicas-upgraded", reset);
  expect([replicas(), managers("deployments.apps")]).toEqual([1, expect.arrayContaining(["helm"])]);
  scale(4);
  await pass(200);
  expect(replicas()).toBe(4);
});

test("another controller writes the status and the replicas in its period, with a new status each time, until it ends", async () => {
  const { begin, managers, pass, replicas, scale, status } = faultRig();
  const manager = "kube-controller-manager";
  const end = begin("other-controller", {
    object: hpa.kind,
    manager,
    everyMs: 15_000,
    replicas: 2,
    isScaling: true,
  });
  const first = status();
  expect(replicas()).toBe(2);
  expect(managers("horizontalpodautoscalers.autoscaling")).toContain(manager);
  scale(4);
  await pass(15);
  expect([replicas(), JSON.stringify(status()) === JSON.stringify(first)]).toEqual([2, false]);
  end?.();
  scale(4);
  await pass(60);
  expect(replicas()).toBe(4);
});

test("a crowd grows, and is as before when that ends", () => {
  const { begin, cluster, errors } = faultRig();
  cluster.apply("user", { apiVersion: "v1", kind: "Namespace", metadata: { name: crowdNamespace } });
  cluster.apply("user", crowdMember(0));
  const count = () =>
    cluster.store.list("workloadautoscalers.autoscaling.plimsoll.dev", crowdNamespace).length;
  const end = begin("crowd-grows", { first: 1000, count: 3 });
  expect(count()).toBe(4);
  end?.();
  expect([count(), errors]).toEqual([1, []]);
});
