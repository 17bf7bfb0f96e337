import { vector } from "@plimsoll/prometheus/testing";
import { afterEach, expect, test } from "vitest";
import type { Outcome } from "../../src/provider/provider.ts";
import { pod } from "./cluster.ts";
import { type Harness, type HarnessOptions, required, startHarness } from "./harness.ts";

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

const { signal } = new AbortController();
const questions = {
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
type QuestionName = keyof typeof questions;
const names = Object.keys(questions) as QuestionName[];

async function holding(name: QuestionName): Promise<() => boolean> {
  const outcome: Outcome<unknown> = await questions[name]();
  if (!outcome.ok) throw new Error(outcome.failure.message);
  const { again } = outcome;
  return () => again?.holds() ?? false;
}

test.each(names)("%s: holds up to the age of its data and not a moment longer", async (name) => {
  await start();
  const holds = await holding(name);
  expect(holds()).toBe(true);
  await harness.clock.advance(5_000);
  expect(holds()).toBe(true);
  await harness.clock.advance(1);
  expect(holds()).toBe(false);
});

test.each(names)(
  "%s: nothing holds where every request costs a query, or where data come too old",
  async (name) => {
    await start({ resultMaxAgeMs: 0 });
    expect((await holding(name))()).toBe(false);
    await harness.stop();
    await start({
      query: () =>
        vector([
          { labels: { pod: "a1", container: "main", queue: "a1" }, value: "1", atSeconds: 1_699_999_990 },
        ]),
    });
    expect((await holding(name))()).toBe(false);
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
    const held = await Promise.all(
      (["pods by selector", "usage of pods", "usage of all pods"] as const).map(holding),
    );
    const before = await Promise.all([questions["pods by selector"](), questions["usage of pods"]()]);
    change();
    expect(held.map((holds) => holds())).toEqual([false, false, false]);
    const after = await Promise.all([questions["pods by selector"](), questions["usage of pods"]()]);
    expect(JSON.stringify(after)).not.toBe(JSON.stringify(before));
    expect(after.every(({ ok }) => ok)).toBe(true);
  },
);

test("a pod that is touched without a change to what counts, or in another namespace, changes nothing", async () => {
  await start();
  const held = await Promise.all((["pods by selector", "usage of pods"] as const).map(holding));
  const everywhere = await holding("usage of all pods");
  const touched = pod("ns", "a1", { app: "a" });
  harness.cluster.put("pods", { ...touched, metadata: { ...touched.metadata, resourceVersion: "9" } });
  expect([...held, everywhere].map((holds) => holds())).toEqual([true, true, true]);
  harness.cluster.remove("pods", "two", "b");
  expect([...held, everywhere].map((holds) => holds())).toEqual([true, true, false]);
});

test("after a relist what metrics there are is looked at anew", async () => {
  await start({ resultMaxAgeMs: 600_000 });
  const held = await Promise.all((["pods by selector", "one pod", "a queue"] as const).map(holding));
  await harness.clock.advance(60_000);
  await expect.poll(() => held.map((holds) => holds())).toEqual([false, false, false]);
});
