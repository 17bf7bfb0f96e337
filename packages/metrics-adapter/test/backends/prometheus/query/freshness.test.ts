import { vector } from "@plimsoll/prometheus/testing";
import { afterEach, expect, test } from "vitest";
import type { Outcome } from "../../../../src/backends/prometheus/providers/outcome.ts";
import { pod } from "../cluster.ts";
import { discovery, type Harness, type HarnessOptions, required, startHarness } from "../harness.ts";

const overrides = "{namespace: {resource: namespace}, pod: {resource: pod}, node: {resource: node}}";
const rules = `
rules:
- {seriesQuery: hits, resources: {overrides: ${overrides}}, metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)'}
externalRules:
- {seriesQuery: depth, resources: {overrides: ${overrides}}, metricsQuery: 'max(<<.Series>>{<<.LabelMatchers>>}) by (queue)'}
resourceRules:
  cpu: {containerQuery: 'cpu{<<.LabelMatchers>>}', resources: {overrides: ${overrides}}, containerLabel: container}
  memory: {containerQuery: 'memory{<<.LabelMatchers>>}', resources: {overrides: ${overrides}}, containerLabel: container}
  window: 1m
`;

let harness: Harness;
afterEach(() => harness.stop());

async function start(options: Partial<HarnessOptions> = {}): Promise<void> {
  harness = await startHarness({
    rules,
    series: [
      { __name__: "hits", namespace: "ns", pod: "a1" },
      { __name__: "depth", namespace: "ns" },
    ],
    objects: {
      pods: [pod("ns", "a1", { app: "a" }), pod("ns", "a2", { app: "a" }), pod("two", "b", { app: "a" })],
    },
    query: () => {
      const atSeconds = harness.clock.nowMs() / 1000;
      const labels = (name: string) => ({ pod: name, container: "main", queue: name });
      return vector(["a1", "a2", "a3"].map((name) => ({ labels: labels(name), value: "1", atSeconds })));
    },
    resultMaxAgeMs: 5_000,
    ...options,
  });
}

const signal = () => new AbortController().signal;
const queries = {
  "pods by selector": () => harness.custom({ metric: "hits", labelSelector: "app=a" }),
  "one pod": () => harness.custom({ metric: "hits", name: "a1" }),
  "a queue": () => harness.external("depth", "ns", "queue=a1"),
  "usage of pods": () =>
    required(harness.engine.resource).pods({
      namespace: "ns",
      labelSelector: "app=a",
      fieldSelector: "",
      signal,
    }),
  "usage of all pods": () =>
    required(harness.engine.resource).pods({
      namespace: undefined,
      labelSelector: "",
      fieldSelector: "",
      signal,
    }),
} as const;
type QueryName = keyof typeof queries;
const names = Object.keys(queries) as QueryName[];

async function freshnessOf(name: QueryName): Promise<() => boolean> {
  const outcome: Outcome<unknown> = await queries[name]();
  if (!outcome.ok) throw new Error(outcome.failure.message);
  const { freshness } = outcome;
  return () => freshness?.isFresh() ?? false;
}

test.each(names)("%s: fresh up to the age of its data and not a moment longer", async (name) => {
  await start();
  const isFresh = await freshnessOf(name);
  expect(isFresh()).toBe(true);
  await harness.clock.advance(5_000);
  expect(isFresh()).toBe(true);
  await harness.clock.advance(1);
  expect(isFresh()).toBe(false);
});

test.each(names)(
  "%s: nothing is fresh where every request costs a query, or where data come too old",
  async (name) => {
    await start({ resultMaxAgeMs: 0 });
    expect((await freshnessOf(name))()).toBe(false);
    await harness.stop();
    await start({
      query: () =>
        vector([
          { labels: { pod: "a1", container: "main", queue: "a1" }, value: "1", atSeconds: 1_699_999_990 },
        ]),
    });
    expect((await freshnessOf(name))()).toBe(false);
  },
);

const changes = {
  "is deleted": () => harness.cluster.remove("pods", "ns", "a1"),
  "loses its label": () => harness.cluster.put("pods", pod("ns", "a1", { app: "other" })),
  "gets a label": () => harness.cluster.put("pods", pod("ns", "a1", { app: "a", more: "x" })),
  "stops running": () => harness.cluster.put("pods", pod("ns", "a1", { app: "a" }, "Succeeded")),
  comes: () => harness.cluster.put("pods", pod("ns", "a3", { app: "a" })),
};

test.each(Object.entries(changes))(
  "a pod that %s is seen at once, within the age of the data",
  async (_, change) => {
    await start();
    const fresh = await Promise.all(
      (["pods by selector", "usage of pods", "usage of all pods"] as const).map(freshnessOf),
    );
    const before = await Promise.all([queries["pods by selector"](), queries["usage of pods"]()]);
    change();
    expect(fresh.map((isFresh) => isFresh())).toEqual([false, false, false]);
    const after = await Promise.all([queries["pods by selector"](), queries["usage of pods"]()]);
    expect(JSON.stringify(after)).not.toBe(JSON.stringify(before));
    expect(after.every(({ ok }) => ok)).toBe(true);
  },
);

test("a pod that is touched without a change to what counts, or in another namespace, changes nothing", async () => {
  await start();
  const fresh = await Promise.all((["pods by selector", "usage of pods"] as const).map(freshnessOf));
  const everywhere = await freshnessOf("usage of all pods");
  const touched = pod("ns", "a1", { app: "a" });
  harness.cluster.put("pods", { ...touched, metadata: { ...touched.metadata, resourceVersion: "9" } });
  expect([...fresh, everywhere].map((isFresh) => isFresh())).toEqual([true, true, true]);
  harness.cluster.remove("pods", "two", "b");
  expect([...fresh, everywhere].map((isFresh) => isFresh())).toEqual([true, true, false]);
});

test("after a relist that finds other metrics no result is fresh", async () => {
  await start({ resultMaxAgeMs: 600_000 });
  const fresh = await Promise.all((["pods by selector", "one pod", "a queue"] as const).map(freshnessOf));
  harness.fake.handle((request) => discovery([{ __name__: "hits", namespace: "ns", pod: "a1" }], request));
  await harness.clock.advance(60_000);
  await expect.poll(() => fresh.map((isFresh) => isFresh())).toEqual([false, false, false]);
});
