import { expect, test } from "vitest";
import { createCluster } from "../../src/cluster/cluster.ts";
import { scaleWriteFaults } from "../../src/faults/scale-writes.ts";
import type { NetworkFault } from "../../src/network/network.ts";
import { createRandom } from "../../src/random/random.ts";
import type { World } from "../../src/run/world.ts";
import type { SetupObject } from "../../src/scenario/scenario.ts";
import { createVirtualTime } from "../../src/time/virtual-time.ts";

const target = { apiVersion: "apps/v1", kind: "Deployment", name: "shop" };
const wla: SetupObject = {
  apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
  kind: "WorkloadAutoscaler",
  metadata: { name: "own", namespace: "default" },
  spec: { scaleTargetRef: target, maxReplicas: 5 },
};
const deployment: SetupObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "shop", namespace: "default" },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: "shop" } },
    template: {
      metadata: { labels: { app: "shop" } },
      spec: { containers: [{ name: "main", image: "registry.example/main:1" }] },
    },
  },
};
const scale = "/apis/apps/v1/namespaces/default/deployments/shop/scale";

test("the object is edited when the replicas are written, which waits until the scale was read again", async () => {
  const time = createVirtualTime(Date.parse("2026-06-01T12:00:00Z"));
  const random = createRandom(1);
  const cluster = createCluster({ time, random });
  for (const object of [deployment, wla]) cluster.apply("user", object);
  let fault: NetworkFault | undefined;
  const add = (added: NetworkFault) => {
    fault = added;
    return () => (fault = undefined);
  };
  const world = { time, random, cluster, network: { add } } as unknown as World;
  const details = {
    object: wla.kind,
    namespace: "default",
    name: "own",
    scale,
    body: { spec: { mode: "Shadow" } },
    replicas: 1,
    readMs: 700,
  };
  const event = { id: 1, atMs: 0, forMs: 60_000, kind: "edited-while-scaling", details };
  const fateOf = (method: "GET" | "PUT", path = scale) =>
    fault?.ofRequest?.(
      { method, path, query: new URLSearchParams(), headers: {}, body: undefined, caller: "autoscaler-0" },
      random,
    );
  const mode = () =>
    cluster.store.get("workloadautoscalers.autoscaling.plimsoll.dev", "default", "own")?.spec;

  const end = scaleWriteFaults["edited-while-scaling"]?.begin(world, event);
  expect(cluster.store.get("deployments.apps", "default", "shop")?.spec).toMatchObject({ replicas: 1 });
  expect([fateOf("GET"), fateOf("PUT", `${scale}-of-another`)]).toEqual([undefined, undefined]);
  expect(fateOf("PUT")).toEqual({ type: "status", code: 409 });
  await time.runUntil(time.nowMs + 10);
  expect(mode()).toMatchObject({ mode: "Shadow" });
  expect(fateOf("GET")).toEqual({ type: "delay", requestMs: 700, responseMs: 1 });
  expect(fateOf("PUT")).toBeUndefined();
  end?.();
  expect(mode()).toMatchObject({ mode: "Active" });
  expect(fault).toBeUndefined();
});

test("it is drawn for objects whose target is a workload", () => {
  const draw = (objects: readonly SetupObject[]) =>
    scaleWriteFaults["edited-while-scaling"]?.draw(createRandom(1), {
      autoscalers: 1,
      adapters: 0,
      coordination: "alone",
      objects,
    });
  expect(draw([deployment, wla])).toMatchObject({ object: wla.kind, name: "own", scale });
  const ofHpa = { ...wla, spec: { scaleTargetRef: { ...target, kind: "HorizontalPodAutoscaler" } } };
  expect(draw([deployment, ofHpa])).toBeUndefined();
});
