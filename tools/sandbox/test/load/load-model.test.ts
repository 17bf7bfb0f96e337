import { expect, test } from "vitest";
import { renderExposition } from "../../src/load/exposition.ts";
import { loadRig, routerLoad } from "./load-rig.ts";
import { parseExposition } from "./parse-exposition.ts";

test("the load is shared out over the Ready pods only", async () => {
  const rig = await loadRig({
    loads: [routerLoad([{ atMs: 0, value: 3000 }])],
    replicas: 2,
    readyDelayMs: 1000,
  });
  const [first, second] = rig.pods().map((pod) => pod.metadata.name);
  await rig.clock.advance(4000);
  expect(rig.read().get(`packets_per_second{namespace="default",pod="${first}"}`)).toBe(1500);
  expect(rig.read().get(`packets_total{namespace="default",pod="${second}"}`)).toBe(6000);
  rig.scaleTo(3);
  await rig.clock.advance(500);
  expect(rig.count("packets_per_second")).toBe(3);
  expect(rig.read().get(`packets_per_second{namespace="default",pod="${first}"}`)).toBe(1500);
  await rig.clock.advance(1000);
  expect(rig.read().get(`packets_per_second{namespace="default",pod="${first}"}`)).toBe(1000);
});

test("counters follow each change of the pods at its instant, not at the next scrape", async () => {
  const rig = await loadRig({
    loads: [routerLoad([{ atMs: 0, value: 1200 }])],
    replicas: 1,
    readyDelayMs: 2000,
  });
  const first = rig.pods()[0]?.metadata.name;
  await rig.clock.advance(3000);
  rig.scaleTo(2);
  await rig.clock.advance(2000);
  await rig.clock.advance(4000);
  rig.scaleTo(1);
  await rig.clock.advance(3000);
  // Alone for 3 + 2 s, one of two for 4 s, alone again for 3 s (the terminating pod takes nothing).
  expect(rig.read().get(`packets_total{namespace="default",pod="${first}"}`)).toBeCloseTo(
    1200 * 8 + 600 * 4,
    6,
  );
  expect(rig.count("packets_total")).toBe(1);
});

test("the page of each pod has what one Ready pod has served", async () => {
  const rig = await loadRig({ loads: [routerLoad([{ atMs: 0, value: 1200 }])], replicas: 1 });
  await rig.clock.advance(3000);
  rig.scaleTo(3);
  await rig.clock.advance(2000);
  const page = parseExposition(renderExposition(rig.model.page()));
  expect([...page]).toEqual([['packets_total{deployment="router"}', 1200 * 3 + 400 * 2]]);
});

test("a terminating pod keeps its counter until it is gone, a pending pod has no series", async () => {
  const rig = await loadRig({ loads: [routerLoad([{ atMs: 0, value: 10 }])], replicas: 2 });
  await rig.clock.advance(1000);
  rig.scaleTo(1);
  await rig.clock.advance(500);
  expect(rig.count("packets_total")).toBe(2);
  expect(rig.sum("packets_per_second")).toBe(10);
  await rig.clock.advance(500);
  expect(rig.count("packets_total")).toBe(1);
  expect(rig.count("container_cpu_usage_seconds_total")).toBe(1);
  rig.edit("deployments.apps", "router", (object) => ({
    ...object,
    spec: { ...(object.spec as object), paused: true },
  }));
  rig.store.create("pods", {
    metadata: {
      name: "held",
      namespace: "default",
      annotations: { "sandbox.plimsoll.dev/phase": "Pending" },
    },
    spec: { containers: [{ name: "main" }] },
  });
  await rig.clock.advance(5000);
  expect([...rig.read().keys()].some((key) => key.includes('pod="held"'))).toBe(false);
});

test("a load without a Ready pod reaches no pod", async () => {
  const rig = await loadRig({
    loads: [routerLoad([{ atMs: 0, value: 10 }])],
    replicas: 1,
    readyDelayMs: 1000,
  });
  await rig.clock.advance(1000);
  rig.scaleTo(0);
  await rig.clock.advance(5000);
  expect(rig.count("packets_total")).toBe(0);
  rig.scaleTo(1);
  await rig.clock.advance(500);
  expect(rig.sum("packets_per_second")).toBe(0);
  await rig.clock.advance(1500);
  expect(rig.sum("packets_total")).toBeCloseTo(10, 9);
});

test("ramp, spike and quiet follow the straight lines between the points", async () => {
  const points = [
    { atMs: 0, value: 0 },
    { atMs: 10_000, value: 100 },
    { atMs: 10_000, value: 500 },
    { atMs: 20_000, value: 500 },
  ];
  const rig = await loadRig({ loads: [routerLoad(points)] });
  await rig.clock.advance(5000);
  expect(rig.model.total("router")).toBe(50);
  expect(rig.sum("packets_total")).toBe(125);
  await rig.clock.advance(5000);
  expect(rig.model.total("default/router", "packets")).toBe(500);
  await rig.clock.advance(20_000);
  expect(rig.sum("packets_total")).toBe(500 + 10_000);
});

test("set holds a total by hand and the counters go on from where they were", async () => {
  const rig = await loadRig({ loads: [routerLoad([{ atMs: 0, value: 10 }])], replicas: 2 });
  await rig.clock.advance(10_000);
  rig.model.set("router", 200);
  await rig.clock.advance(1000);
  expect(rig.sum("packets_total")).toBe(300);
  rig.model.play([
    routerLoad([
      { atMs: 0, value: 0 },
      { atMs: 1000, value: 100 },
    ]),
  ]);
  await rig.clock.advance(1000);
  expect(rig.sum("packets_total")).toBe(350);
  expect(() => rig.model.set("absent", 1)).toThrow(RangeError);
});

test("an Ingress reports its total, or its total per Ready pod of a workload", async () => {
  const ingress = {
    namespace: "default",
    kind: "Ingress",
    name: "main-route",
    metric: "requests",
    points: [{ atMs: 0, value: 900 }],
  };
  const perReadyPodOf = { namespace: "default", kind: "Deployment", name: "router" };
  const rig = await loadRig({ loads: [ingress, { ...ingress, name: "split", perReadyPodOf }], replicas: 3 });
  rig.store.create("ingresses.networking.k8s.io", {
    metadata: { name: "main-route", namespace: "default" },
    spec: {
      rules: [{ http: { paths: [{ backend: { service: { name: "shop", port: { number: 80 } } } }] } }],
    },
  });
  await rig.clock.advance(2000);
  expect(rig.read().get('http_requests_total{namespace="default",ingress="main-route",service="shop"}')).toBe(
    1800,
  );
  expect(rig.read().get('requests_per_second{namespace="default",ingress="main-route"}')).toBe(900);
  expect(rig.read().get('requests_per_second{namespace="default",ingress="split"}')).toBe(300);
  rig.scaleTo(1);
  await rig.clock.advance(1000);
  expect(rig.read().get('requests_per_second{namespace="default",ingress="split"}')).toBe(900);
  expect(
    rig.read().get('http_requests_total{namespace="default",ingress="split",service="split"}'),
  ).toBeCloseTo(1500, 6);
});

test("a queue reports its depth", async () => {
  const load = {
    namespace: "default",
    kind: "Queue",
    name: "jobs",
    metric: "queue",
    points: [{ atMs: 0, value: 90 }],
  };
  const rig = await loadRig({ loads: [load] });
  expect(rig.read().get('queue_depth{namespace="default",queue="jobs"}')).toBe(90);
  rig.model.set("jobs", 12);
  expect(rig.read().get('queue_depth{namespace="default",queue="jobs"}')).toBe(12);
});

test("cpu and memory of the loaded container are exactly its share, and add up on the node", async () => {
  const rig = await loadRig({
    loads: [routerLoad([{ atMs: 0, value: 3 }], "cpu"), routerLoad([{ atMs: 0, value: 4e9 }], "memory")],
    replicas: 2,
  });
  await rig.clock.advance(10_000);
  const pod = rig.pods()[0]?.metadata.name;
  const labels = `{namespace="default",pod="${pod}",container="main"}`;
  expect(rig.read().get(`container_cpu_usage_seconds_total${labels}`)).toBeCloseTo(15, 9);
  expect(rig.read().get(`container_memory_working_set_bytes${labels}`)).toBe(2e9);
  expect(rig.sum("node_cpu_usage_seconds_total")).toBeCloseTo(30 + 2 * 0.1 * 10, 9);
  rig.scaleTo(1);
  await rig.clock.advance(10_000);
  expect(rig.sum("node_cpu_usage_seconds_total")).toBeCloseTo(60 + 2 * 0.1 * 20, 9);
  expect(rig.sum("node_memory_working_set_bytes")).toBe(2 * 512 * 1024 * 1024 + 4e9);
});

test("pods without a load idle", async () => {
  const rig = await loadRig({ loads: [], replicas: 1 });
  await rig.clock.advance(10_000);
  expect(rig.sum("container_cpu_usage_seconds_total")).toBeCloseTo(0.01, 9);
  expect(rig.count("packets_total")).toBe(0);
});

test("faults turn series to NaN, drop them or freeze them, and end", async () => {
  const rig = await loadRig({ loads: [routerLoad([{ atMs: 0, value: 20 }])], replicas: 2 });
  const [one, two] = rig.pods().map((pod) => `packets_total{namespace="default",pod="${pod.metadata.name}"}`);
  const podOne = rig.pods()[0]?.metadata.name ?? "";
  await rig.clock.advance(1000);
  const thaw = rig.model.fault({ metric: "packets_total", labels: { pod: podOne }, kind: "freeze" });
  await rig.clock.advance(1000);
  expect([rig.read().get(one ?? ""), rig.read().get(two ?? "")]).toEqual([10, 20]);
  thaw();
  expect(rig.read().get(one ?? "")).toBe(20);
  const restore = rig.model.fault({ metric: "packets_total", kind: "drop" });
  expect(rig.count("packets_total")).toBe(0);
  expect(rig.count("packets_per_second")).toBe(2);
  restore();
  rig.model.fault({ metric: "packets_total", labels: { pod: podOne }, kind: "nan" });
  expect(rig.read().get(one ?? "")).toBeNaN();
  expect(rig.read().get(two ?? "")).toBe(20);
});

test("a model that starts late takes over the pods that are there, and a stopped one follows no more", async () => {
  const rig = await loadRig({ loads: [routerLoad([{ atMs: 0, value: 20 }])], replicas: 2 });
  expect(rig.sum("packets_per_second")).toBe(20);
  rig.model.stop();
  rig.scaleTo(4);
  await rig.clock.advance(1000);
  expect(rig.count("packets_total")).toBe(2);
});
