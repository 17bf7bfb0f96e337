// Real adapters on virtual time.
import { ApiError, ConnectionError } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { createRig, type Rig } from "./rig.ts";

const custom = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop";
const pods = `${custom}/pods/*/busy_workers`;

interface Values {
  readonly items: readonly {
    readonly describedObject: { readonly name: string };
    readonly value: string;
  }[];
}

async function valuesOf(rig: Rig, path: string): Promise<readonly number[]> {
  const { items } = await rig.get<Values>(path, { labelSelector: "app=web" });
  return items.map(({ value }) => numberOf(value)).sort((one, other) => one - other);
}

function numberOf(value: string): number {
  return value.endsWith("m") ? Number(value.slice(0, -1)) / 1_000 : Number(value.replace(/k$/, "e3"));
}

const threeUnits = { namespace: "shop", workload: "web", demand: { type: "constant", units: 3 } } as const;

async function startRig(options: { adapters?: number } = {}): Promise<Rig> {
  const rig = createRig({ ...options, loads: [threeUnits] });
  rig.deploy("shop", "web", 3);
  rig.deploy("shop", "other", 2);
  rig.deploy("other", "web", 2);
  await rig.run(180_000);
  return rig;
}

test("serves the load of each pod, of its Ingress, its Service and its queue", async () => {
  const rig = await startRig();
  const near = (value: number) => [expect.closeTo(value, -1)];
  const near3 = (value: number) => [...near(value), ...near(value), ...near(value)];
  expect(await valuesOf(rig, pods)).toEqual(near3(1_000));
  expect(await valuesOf(rig, `${custom}/pods/*/http_requests_per_second`)).toEqual(near3(1_000));
  const ingress = `${custom}/ingresses.networking.k8s.io/web/ingress_requests_per_second`;
  expect(await valuesOf(rig, ingress)).toEqual(near(3_000));
  expect(await valuesOf(rig, `${custom}/services/web/open_connections`)).toEqual(near(1_000));
  const queue = await rig.get<Values>("/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue_depth", {
    labelSelector: "queue=web",
  });
  expect(queue.items.map(({ value }) => numberOf(value))).toEqual(near(3_000));
  const usage = await rig.get<{ readonly items: readonly { readonly containers: readonly unknown[] }[] }>(
    "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods",
    { labelSelector: "app=web" },
  );
  expect(usage.items.map(({ containers }) => containers.length)).toEqual([1, 1, 1]);
  expect(rig.problems).toEqual([]);
});

test("more pods share the load", async () => {
  const rig = await startRig();
  rig.deploy("shop", "web", 6);
  await rig.run(120_000);
  const shares = await valuesOf(rig, `${custom}/pods/*/http_requests_per_second`);
  expect(shares).toEqual(Array.from({ length: 6 }, () => expect.closeTo(500, -1)));
});

test("while the adapter is down the API server responds with 503; a new start serves again", async () => {
  const rig = await startRig();
  rig.world.processes.get("adapter-0")?.kill();
  await expect(rig.get(pods)).rejects.toMatchObject({ code: 503 });
  rig.world.processes.start("adapter-0");
  await expect(rig.get(pods)).rejects.toBeInstanceOf(ApiError);
  await rig.run(5_000);
  expect((await valuesOf(rig, pods)).length).toBe(3);
});

test("a request that an adapter has not responded to when it is killed gets a 503", async () => {
  const rig = await startRig();
  rig.world.prometheus.add({ ofRequest: () => ({ type: "silent" }) });
  rig.world.time.after(5_000, () => rig.world.processes.get("adapter-0")?.kill());
  await expect(rig.get(pods)).rejects.toMatchObject({ code: 503 });
});

test("a paused adapter responds when it is woken", async () => {
  const rig = await startRig();
  const process = rig.world.processes.get("adapter-0");
  process?.pause();
  rig.world.time.after(9_000, () => process?.wake());
  const beforeMs = rig.world.time.nowMs;
  expect((await valuesOf(rig, pods)).length).toBe(3);
  expect(rig.world.time.nowMs - beforeMs).toBeGreaterThan(9_000);
});

test("of two adapters the other one serves alone, some seconds after one was killed", async () => {
  const rig = await startRig({ adapters: 2 });
  rig.world.processes.get("adapter-0")?.kill();
  const soon: string[] = [];
  for (let times = 0; times < 4; times += 1) {
    const [outcome] = await Promise.allSettled([rig.get(pods)]);
    soon.push(outcome.status);
  }
  expect(soon.sort()).toEqual(["fulfilled", "fulfilled", "rejected", "rejected"]);
  await rig.run(10_000);
  for (let times = 0; times < 4; times += 1) expect((await valuesOf(rig, pods)).length).toBe(3);
});

test("while Prometheus does not respond no request outlasts its deadline", async () => {
  const rig = await startRig();
  const remove = rig.world.prometheus.add({ ofRequest: () => ({ type: "silent" }) });
  await expect(rig.get(pods)).rejects.toSatisfy(
    (error) => error instanceof ApiError || error instanceof ConnectionError,
  );
  remove();
  await rig.run(30_000);
  expect((await valuesOf(rig, pods)).length).toBe(3);
});
