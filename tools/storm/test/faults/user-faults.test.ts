import { expect, test } from "vitest";
import { leaseNamespace } from "../../src/autoscaler/flags.ts";
import { createCluster } from "../../src/cluster/cluster.ts";
import { endings } from "../../src/faults/lease-thief.ts";
import { leaseFaults } from "../../src/faults/leases.ts";
import { userFaults } from "../../src/faults/users.ts";
import { drawSetup } from "../../src/objects/draw-setup.ts";
import { createRandom } from "../../src/random/random.ts";
import type { World } from "../../src/run/world.ts";
import type { SetupObject } from "../../src/scenario/scenario.ts";
import { createVirtualTime } from "../../src/time/virtual-time.ts";

const resource = "workloadautoscalers.autoscaling.plimsoll.dev";
const wla: SetupObject = {
  apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
  kind: "WorkloadAutoscaler",
  metadata: { name: "shop", namespace: "default" },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" }, maxReplicas: 5 },
};

function faultRig() {
  const time = createVirtualTime(Date.parse("2026-06-01T12:00:00Z"));
  const random = createRandom(1);
  const cluster = createCluster({ time, random });
  const setup = { autoscalers: 1, adapters: 0, coordination: "leader", objects: [wla] } as const;
  const world = { time, random, cluster, scenario: { setup } } as unknown as World;
  for (const object of setup.objects) cluster.apply("user", object);
  const stored = () => cluster.store.get(resource, "default", "shop");
  const begin = (kind: string, details: object = {}) =>
    ({ ...userFaults, ...leaseFaults })[kind]?.begin(world, {
      id: 1,
      atMs: 0,
      forMs: 0,
      kind,
      details: { object: wla.kind, namespace: "default", name: "shop", ...details },
    });
  return { cluster, stored, begin, time };
}

test("an object is paused, or in shadow, for as long as it lasts", () => {
  for (const [kind, mode] of [
    ["object-paused", "Paused"],
    ["object-shadowed", "Shadow"],
  ] as const) {
    const { begin, stored } = faultRig();
    const end = begin(kind);
    expect(stored()?.spec).toMatchObject({ mode });
    end?.();
    expect(stored()?.spec).toMatchObject({ mode: "Active" });
  }
});

test("an object is edited, annotated and applied again as it was", () => {
  const { begin, stored } = faultRig();
  begin("object-edited", { body: { spec: { minReplicas: 2, maxReplicas: 9 } } });
  begin("object-reclaimed", { reclaim: "7" });
  expect(stored()).toMatchObject({
    metadata: { annotations: { "autoscaling.plimsoll.dev/reclaim": "7" } },
    spec: { minReplicas: 2, maxReplicas: 9 },
  });
  begin("object-applied");
  expect(stored()?.spec).toMatchObject({ minReplicas: 1, maxReplicas: 5 });
});

test("an object is deleted for a while, or replaced by another of its name", () => {
  const { begin, stored } = faultRig();
  const uid = stored()?.metadata.uid;
  const end = begin("object-deleted");
  expect(stored()).toBeUndefined();
  end?.();
  const again = stored()?.metadata.uid;
  begin("object-recreated");
  expect(new Set([uid, again, stored()?.metadata.uid]).size).toBe(3);
});

test("leases are removed, or given to another holder", () => {
  const { begin, cluster } = faultRig();
  const leases = "leases.coordination.k8s.io";
  const all = () =>
    cluster.store
      .list(leases, leaseNamespace)
      .filter(({ metadata }) => metadata.name.startsWith("plimsoll-"))
      .map(({ metadata, spec }) => [metadata.name, (spec as { holderIdentity?: string }).holderIdentity]);
  const create = (name: string) =>
    cluster.as("user", (store) =>
      store.create(leases, {
        metadata: { name, namespace: leaseNamespace },
        spec: { holderIdentity: "autoscaler-0_1" },
      }),
    );
  for (const name of ["plimsoll-a", "plimsoll-b", "another"]) create(name);
  begin("lease-deleted", { which: 0.9 });
  expect(all()).toEqual([["plimsoll-a", "autoscaler-0_1"]]);
  begin("lease-stolen");
  expect(all()).toEqual([["plimsoll-a", "thief"]]);
  begin("leases-deleted");
  expect(all()).toEqual([]);
});

test.each(endings)(
  "another client takes the lease of a shard, writes it, and lets go: %s",
  async (ending) => {
    const { begin, cluster, time } = faultRig();
    const leases = "leases.coordination.k8s.io";
    const name = "plimsoll-autoscaler-slot-1";
    const lease = () => cluster.store.get(leases, leaseNamespace, name);
    const spec = { holderIdentity: "autoscaler-0_1", leaseTransitions: 4 };
    const metadata = { name, namespace: leaseNamespace, labels: { group: "a" } };
    cluster.as("user", (store) => store.create(leases, { metadata, spec }));
    const changes: string[] = [];
    const labels = new Set<string>();
    cluster.subscribe(({ event }) => {
      changes.push(event.type);
      labels.add(JSON.stringify(event.object.metadata.labels ?? {}));
    });
    const end = begin("shard-lease-stolen", { of: "slot", which: 0, everyMs: 1000, ending });
    expect(lease()?.spec).toMatchObject({ holderIdentity: "thief", leaseTransitions: 5 });
    await time.runUntil(time.nowMs + 60_000);
    expect(new Set(changes)).toEqual(new Set(["MODIFIED", "DELETED", "ADDED"]));
    end?.();
    const holders = { released: "", deleted: undefined, expires: "thief" };
    expect((lease()?.spec as { holderIdentity?: string } | undefined)?.holderIdentity).toBe(holders[ending]);
    expect(labels).toEqual(new Set(['{"group":"a"}', "{}"]));
    const { version } = cluster.store;
    await time.runUntil(time.nowMs + 60_000);
    expect(cluster.store.version).toBe(version);
  },
);

test("every fault of users can be drawn, and what it draws is plain JSON", () => {
  const setup = drawSetup(createRandom(3));
  for (const [kind, fault] of Object.entries(userFaults)) {
    const drawn = Array.from({ length: 50 }, (_, seed) => fault.draw(createRandom(seed), setup));
    const found = drawn.filter((details) => details !== undefined);
    expect([kind, found.length > 0]).toEqual([kind, true]);
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
  }
});
