// What is scraped of the simulated pods, as adapters get it.
import { expect, test } from "vitest";
import { createRig, type Rig } from "../adapter/rig.ts";

const custom = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop";
const gauge = `${custom}/pods/*/busy_workers`;
const rates = `${custom}/pods/*/http_requests_per_second`;
const load = { namespace: "shop", workload: "web", demand: { type: "constant", units: 4 } } as const;

interface Values {
  readonly items: readonly { readonly value: string; readonly timestamp: string }[];
}

async function startRig(): Promise<Rig> {
  const rig = createRig({ loads: [load] });
  rig.deploy("shop", "web", 4);
  await rig.run(180_000);
  return rig;
}

/** How many pods have a value. */
async function countOf(rig: Rig, path: string): Promise<number> {
  return (await rig.get<Values>(path, { labelSelector: "app=web" })).items.length;
}

/** The names in the order of the API server. */
function pods(rig: Rig) {
  return rig.world.cluster.store.list("pods", "shop");
}

test("a target that does not respond has no gauges from its next scrape on, and rates for as long as they reach", async () => {
  const rig = await startRig();
  const [first] = pods(rig);
  const remove = rig.world.prometheus.add({
    losesScrape: ({ key }) => key === `pod shop/${first?.metadata.name}`,
  });
  await rig.run(16_000);
  expect([await countOf(rig, gauge), await countOf(rig, rates)]).toEqual([3, 4]);
  await rig.run(60_000);
  expect([await countOf(rig, gauge), await countOf(rig, rates)]).toEqual([3, 3]);
  remove();
  await rig.run(31_000);
  expect([await countOf(rig, gauge), await countOf(rig, rates)]).toEqual([4, 4]);
});

test("what Prometheus did not see itself is known for five minutes", async () => {
  const rig = await startRig();
  const remove = rig.world.prometheus.add({ losesScrape: () => "unseen" });
  await rig.run(280_000);
  expect([await countOf(rig, gauge), await countOf(rig, rates)]).toEqual([4, 0]);
  await rig.run(85_000);
  // The next relist finds no series.
  await expect(rig.get(gauge)).rejects.toMatchObject({ code: 404 });
  remove();
  await rig.run(91_000);
  expect(await countOf(rig, gauge)).toBe(4);
});

test("counters that begin at 0 once more have no negative rate", async () => {
  const rig = await startRig();
  rig.world.prometheus.resetCounters(() => true);
  for (let times = 0; times < 6; times += 1) {
    await rig.run(15_000);
    const { items } = await rig.get<Values>(rates, { labelSelector: "app=web" });
    expect(items.length).toBe(4);
    for (const { value } of items) expect(value).toMatch(/^\d+m?$/);
  }
});

test("values that are no numbers are missing", async () => {
  const rig = await startRig();
  rig.world.prometheus.add({ exported: ({ name }, value) => (name === "busy_workers" ? Number.NaN : value) });
  await rig.run(16_000);
  expect([await countOf(rig, gauge), await countOf(rig, rates)]).toEqual([0, 4]);
});

test("a partial response leaves pods out of a list, and gives no value of a single object", async () => {
  const rig = await startRig();
  const [first] = pods(rig);
  rig.world.prometheus.add({ leavesOut: ({ labels }) => labels["pod"] === first?.metadata.name });
  await rig.run(6_000);
  expect(await countOf(rig, gauge)).toBe(3);
  await expect(rig.get(`${custom}/services/web/open_connections`)).rejects.toMatchObject({ code: 503 });
});

test("Prometheus dates what it knows by its own clock", async () => {
  const rig = await startRig();
  rig.world.prometheus.stepClock(120_000);
  await rig.run(16_000);
  const { items } = await rig.get<Values>(gauge, { labelSelector: "app=web" });
  const aheadMs = Date.parse(items[0]?.timestamp ?? "") - rig.world.time.nowMs;
  expect([items.length, aheadMs > 110_000, aheadMs <= 120_000]).toEqual([4, true, true]);
});

test("a query that the simulation does not know ends the run", async () => {
  const rig = await startRig();
  const process = rig.world.processes.get("adapter-0");
  if (process === undefined) throw new Error("there is no adapter");
  const fetch = rig.world.prometheus.fetchOf(process);
  const { signal } = new AbortController();
  void fetch("http://prometheus/api/v1/query?query=absent(up)", {
    method: "GET",
    headers: {},
    signal,
    redirect: "manual",
  });
  await expect(rig.run(1_000)).rejects.toThrow("does not know");
});
