import { expect, test } from "vitest";
import { failure } from "../fake-api.ts";
import { rig } from "../harness.ts";
import { breakAll, conditionOf, counts, json } from "./broken-metrics.ts";
import { type MetricKind, metricKinds, podsOfEach, putKinds, replicasOf } from "./metric-kinds.ts";

const perPod = metricKinds.filter(({ name }) => name === "resource" || name === "pods");

test.each([
  ["an error text of a megabyte", () => failure(500, "", "x".repeat(900_000))],
  ["a value of a megabyte", (kind: MetricKind) => json(kind.body("x".repeat(900_000)))],
  ["a value that is a large object", (kind: MetricKind) => json(kind.body({ deep: "x".repeat(900_000) }))],
])("%s comes: conditions and events stay short", async (_, reply) => {
  const { api, autoscaler } = await rig({
    before(api) {
      putKinds(api);
      breakAll(api, reply);
    },
  });
  await autoscaler.sync();
  const written = api.requests.filter(({ method }) => method !== "GET");
  expect(written.length).toBeGreaterThan(metricKinds.length);
  for (const { body } of written) expect(JSON.stringify(body).length).toBeLessThan(10_000);
  expect(counts(api)).toEqual(metricKinds.map(() => podsOfEach));
});

test("some pods are missing: they count as at their target, and nothing falls below that", async () => {
  const { api, autoscaler } = await rig({
    before(api) {
      putKinds(api, perPod);
      for (const kind of perPod) {
        const { items, ...list } = kind.body("0");
        api.metrics.set(kind.path, { ...list, items: (items as readonly unknown[]).slice(0, 3) });
      }
    },
  });
  await autoscaler.sync();
  expect(perPod.map(({ name }) => replicasOf(api, name))).toEqual([3, 3]);
});

test("pods that come twice count once, by the last of them", async () => {
  const { api, autoscaler } = await rig({
    before(api) {
      putKinds(api, perPod);
      for (const kind of perPod) {
        const items = ["900", "100"].flatMap((value) => kind.body(value)["items"] as readonly unknown[]);
        api.metrics.set(kind.path, { ...kind.body("0"), items });
      }
    },
  });
  await autoscaler.sync();
  expect(perPod.map(({ name }) => replicasOf(api, name))).toEqual([podsOfEach, podsOfEach]);
});

test("an object that comes twice is an error that says how many came", async () => {
  const { api, autoscaler } = await rig({
    before(api) {
      const [kind] = metricKinds.filter(({ name }) => name === "object");
      if (kind === undefined) throw new Error("there is no such kind");
      putKinds(api, [kind]);
      const items = kind.body("1")["items"] as readonly unknown[];
      api.metrics.set(kind.path, { ...kind.body("1"), items: [...items, ...items] });
    },
  });
  await autoscaler.sync();
  expect(replicasOf(api, "object")).toBe(podsOfEach);
  expect(conditionOf(api, "object", "ScalingActive")).toMatchObject({
    message: expect.stringContaining("returned 2 results"),
  });
});

test("samples of yesterday are used, as upstream does: the server of the metrics API checks their age", async () => {
  const { api, autoscaler } = await rig({
    before(api) {
      putKinds(api);
      for (const kind of metricKinds) {
        const { items, ...list } = kind.body("50");
        const timestamp = new Date(Date.now() - 86_400_000).toISOString();
        const old = (items as readonly object[]).map((item) => ({ ...item, timestamp }));
        api.metrics.set(kind.path, { ...list, items: old });
      }
    },
  });
  await autoscaler.sync();
  expect(counts(api)).toEqual(metricKinds.map(() => podsOfEach / 2));
});
