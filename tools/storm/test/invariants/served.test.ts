// What the invariants of served values notice.
import { expect, test } from "vitest";
import { servedObjects } from "../../src/invariants/served-objects.ts";
import type { AdapterServed } from "../../src/invariants/served-response.ts";
import { servedValues } from "../../src/invariants/served-values.ts";
import type { CreateInvariant, Observation } from "../../src/run/world.ts";
import { createRig, type Rig } from "../adapter/rig.ts";
import { problemOf } from "./outcome.ts";

const custom = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop";
const usage = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods";
const queue = "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue_depth";

const requests: readonly (readonly [path: string, query: Readonly<Record<string, string>>])[] = [
  [`${custom}/pods/*/busy_workers`, { labelSelector: "app=web" }],
  [`${custom}/pods/*/http_requests_per_second`, {}],
  [`${custom}/services/web/open_connections`, {}],
  [`${custom}/ingresses.networking.k8s.io/web/ingress_requests_per_second`, {}],
  [queue, { labelSelector: "queue=web" }],
  [usage, { labelSelector: "app=web" }],
  [usage, {}],
];

async function startRig(): Promise<Rig> {
  const rig = createRig();
  rig.deploy("shop", "web", 2);
  rig.deploy("shop", "other", 2);
  rig.deploy("near", "web", 2);
  await rig.run(180_000);
  return rig;
}

/** Everything that was observed, and the last response of an adapter. */
async function served(rig: Rig, path: string, query: Readonly<Record<string, string>> = {}) {
  await rig.get(path, query);
  const last = rig.observations.findLast((one): one is AdapterServed => one.kind === "adapter-served");
  if (last === undefined) throw new Error("nothing was served");
  return last;
}

/** What an invariant says of an observation, after all others. */
function violationOf(rig: Rig, create: CreateInvariant, last: Observation): string | undefined {
  const invariant = create(rig.world);
  for (const { metadata, ...rest } of rig.world.cluster.store.list("pods")) {
    const event = { resource: "pods", type: "ADDED", object: { metadata, ...rest }, version: 1 } as const;
    invariant.observe?.({ kind: "written", writer: "cluster", event });
  }
  return problemOf(invariant.observe?.(last));
}

test("what is served rightly violates nothing, at once and repeated", async () => {
  const rig = await startRig();
  for (const [path, query] of [...requests, ...requests]) {
    const last = await served(rig, path, query);
    expect(last.code).toBe(200);
    expect(JSON.parse(last.body)).not.toEqual(expect.objectContaining({ items: [] }));
    for (const create of [servedValues, servedObjects])
      expect(violationOf(rig, create, last)).toBeUndefined();
  }
});

test("a rate below 0, of a counter that was reset after a sample that is not a number, is served as it is", async () => {
  const rig = await startRig();
  const remove = rig.world.prometheus.add({ exported: () => Number.NaN });
  await rig.run(15_000);
  remove();
  rig.world.prometheus.resetCounters(() => true);
  await rig.run(15_000);
  const rates = await served(rig, `${custom}/pods/*/http_requests_per_second`);
  expect(rates.body).toMatch(/"value":"-\d/);
  expect(violationOf(rig, servedValues, rates)).toBeUndefined();
  const usages = await served(rig, usage);
  expect(usages.body).toMatch(/"cpu":"0"/);
  expect(violationOf(rig, servedValues, usages)).toBeUndefined();
});

test.for(requests)("of %s a value that is another one is noticed", async ([path, query]) => {
  const rig = await startRig();
  const last = await served(rig, path, query);
  const body = last.body.replace(
    /("value":|"cpu":)"(\d+)/,
    (_, key: string, value: string) => `${key}"${Number(value) + 1}`,
  );
  expect(body).not.toBe(last.body);
  expect(violationOf(rig, servedValues, { ...last, body })).toMatch(
    /which Prometheus gave for no such series/,
  );
});

test.for(requests)("of %s a value that is too old is noticed", async ([path, query]) => {
  const rig = await startRig();
  const last = await served(rig, path, query);
  const late = {
    receivedAtMs: last.receivedAtMs + 60_000,
    receivedByClockMs: last.receivedByClockMs + 60_000,
  };
  expect(violationOf(rig, servedValues, { ...last, ...late })).toMatch(/ms old/);
  // A clock that went back and forth by so much explains it.
  expect(violationOf(rig, servedValues, { ...last, ...late, setBackMs: 60_000 })).toBeUndefined();
});

test("a value that is dated a second after its measurement is noticed", async () => {
  const rig = await startRig();
  const last = await served(rig, `${custom}/services/web/open_connections`);
  const body = last.body.replace(/(?<="timestamp":")[^"]*/, (at) =>
    new Date(Date.parse(at) + 1000).toISOString(),
  );
  expect(violationOf(rig, servedValues, { ...last, body })).toMatch(/which is too late/);
});

test.for(requests)("of %s a wrong time and another run are noticed", async ([path, query]) => {
  const rig = await startRig();
  const last = await served(rig, path, query);
  const body = last.body.replaceAll(/"timestamp":"[^"]*"/g, '"timestamp":"2026-06-01T11:59:00Z"');
  expect(violationOf(rig, servedValues, { ...last, body })).toMatch(/measured at|too late/);
  expect(violationOf(rig, servedValues, { ...last, run: 2 })).toMatch(/an earlier run/);
});

test("values of another namespace, object, metric or selector are noticed", async () => {
  const rig = await startRig();
  const pods = await served(rig, `${custom}/pods/*/busy_workers`, { labelSelector: "app=web" });
  const elsewhere = { ...pods, url: pods.url.replace("/shop/", "/near/") };
  expect(violationOf(rig, servedObjects, elsewhere)).toMatch(/is of namespace shop/);
  const others = { ...pods, url: pods.url.replace("app%3Dweb", "app%3Dother") };
  expect(violationOf(rig, servedObjects, others)).toMatch(/is not selected/);
  const metric = { ...pods, url: pods.url.replace("busy_workers", "http_requests_per_second") };
  expect(violationOf(rig, servedObjects, metric)).toMatch(/has a value of busy_workers/);
  const service = await served(rig, `${custom}/services/web/open_connections`);
  const named = { ...service, url: service.url.replace("/web/", "/other/") };
  expect(violationOf(rig, servedObjects, named)).toMatch(/the value is that of web/);
  const depth = await served(rig, queue, { labelSelector: "queue=web" });
  const queues = { ...depth, url: depth.url.replace("queue%3Dweb", "queue%3Dother") };
  expect(violationOf(rig, servedObjects, queues)).toMatch(/is not selected/);
});
