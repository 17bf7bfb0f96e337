import type { FakeHandler } from "@plimsoll/prometheus/testing";
import { vector } from "@plimsoll/prometheus/testing";
import { expect, onTestFinished, test } from "vitest";
import { pod } from "../prometheus/cluster.ts";
import { failureIn, type Harness, startHarness, waitFor } from "../prometheus/harness.ts";
import { fakeRules } from "./fake-rules.ts";

const rules = `
rules:
- seriesQuery: 'packets{namespace!="",pod!=""}'
  resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}
  metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)'
externalRules:
- seriesQuery: 'queue{namespace!=""}'
  resources: {overrides: {namespace: {resource: namespace}}}
  metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>})'
`;
const series = [
  { __name__: "packets", namespace: "ns", pod: "a" },
  { __name__: "queue", namespace: "ns" },
];
const query: FakeHandler = ({ parameters }) => {
  const text = parameters.get("query") ?? "";
  return vector([{ labels: { pod: "a" }, value: text.includes("mine") ? "7" : "1" }]);
};

/** An adapter whose namespace "hides" has a rule for each metric of the file, and "ns" a rule of its own. */
async function setUp(api = fakeRules()) {
  api.put("hides", "packets", { type: "Pods", metric: "packets", query: "sum by (pod) (mine)" });
  api.put("hides", "queue", { type: "External", query: "mine" });
  api.put("ns", "own", { type: "External", query: "mine" });
  const objects = { pods: [pod("ns", "a", {}), pod("hides", "a", {})] };
  const harness = await startHarness({
    rules,
    series,
    query,
    objects,
    metricRules: api.client,
    waits: false,
  });
  onTestFinished(() => harness.stop());
  await waitFor(() => harness.engine.external?.list().includes("queue") === true);
  await harness.clock.advance(200);
  /** What the requests for metrics of the file, and for one of a rule, get after so long. */
  const ask = async (afterMs: number): Promise<Readonly<Record<string, readonly string[]>>> => {
    const outcomes = ["ns", "hides"].map((namespace) =>
      Promise.all([
        harness.custom({ metric: "packets", namespace, name: "a" }),
        harness.external("queue", namespace),
        harness.external("own", namespace),
      ]),
    );
    await harness.clock.advance(afterMs);
    const [ns = [], hides = []] = await Promise.all(outcomes);
    return { ns: ns.map(textOf), hides: hides.map(textOf) };
  };
  return { harness, api, ask };
}

function textOf(outcome: Awaited<ReturnType<Harness["external"]>> | Awaited<ReturnType<Harness["custom"]>>) {
  return outcome.ok ? (outcome.value[0]?.value ?? "none") : outcome.failure.code;
}

const no = "Unavailable";

test.each(["hang", "fail", "are endless"] as const)(
  "lists of all MetricRules %s: metrics of the file are served but where a rule of the namespace hides them",
  async (become) => {
    const api = fakeRules();
    api.lists(become);
    const { ask, harness } = await setUp(api);
    expect(await ask(0)).toEqual({ ns: ["1", "1", no], hides: [no, no, no] });
    expect(harness.engine.readiness().ready).toBe(true);
  },
);

test.each([
  ["hang", 2_000],
  ["fail", 0],
  ["are endless", 500],
] as const)(
  "lists of all MetricRules and those of a namespace %s: metrics of the file are served",
  async (become, afterMs) => {
    const api = fakeRules();
    api.lists(become, become);
    const {
      ask,
      harness,
      api: { reads },
    } = await setUp(api);
    // A namespace with more rules than are read may have a rule for any metric.
    const ofFile = become === "are endless" ? no : "1";
    const expected = [ofFile, ofFile, no];
    expect(await ask(afterMs)).toEqual({ ns: expected, hides: expected });
    const before = reads.length;
    expect(await ask(0)).toEqual({ ns: expected, hides: expected });
    expect(reads.length).toBe(before);
    expect(harness.engine.readiness().ready).toBe(true);
  },
);

test("once MetricRules are listed after all, each metric is its owner's", async () => {
  const api = fakeRules();
  api.lists("fail");
  const { ask, harness } = await setUp(api);
  expect(await ask(0)).toEqual({ ns: ["1", "1", no], hides: [no, no, no] });
  api.lists("are served");
  await harness.clock.advance(60_000);
  expect(await ask(0)).toEqual({ ns: ["1", "1", "7"], hides: ["7", "7", "MetricNotFound"] });
});

test("requests of a namespace share one read of its rules, which another namespace's does not delay", async () => {
  const api = fakeRules();
  api.lists("hang");
  const { ask } = await setUp(api);
  await ask(0);
  await ask(0);
  expect(api.reads.filter((namespace) => namespace !== "*").toSorted()).toEqual(["hides", "ns"]);
});

test("without the permission to list MetricRules the file is served, and the adapter is not ready", async () => {
  const api = fakeRules();
  api.forbid(true);
  const { ask, harness } = await setUp(api);
  expect(await ask(0)).toEqual({ ns: ["1", "1", no], hides: ["1", "1", no] });
  expect(failureIn(await harness.external("own"))).toEqual({
    code: "Unavailable",
    message: "the MetricRules cannot be listed: no",
    retryAfterSeconds: 1,
  });
  expect(harness.engine.readiness()).toEqual({
    ready: false,
    message: "the MetricRules cannot be listed: no",
  });
  api.forbid(false);
  await harness.clock.advance(60_000);
  expect(await ask(0)).toEqual({ ns: ["1", "1", "7"], hides: ["7", "7", "MetricNotFound"] });
  expect(harness.engine.readiness()).toEqual({ ready: true, message: "ok" });
});

test("metrics of other adapters are theirs as soon as the namespace is known to have no rule of the name", async () => {
  const api = fakeRules();
  api.lists("hang");
  const { harness } = await setUp(api);
  const isOwn = harness.engine.owns;
  const isOwnIn = (namespace: string | undefined, metric: string) =>
    isOwn({ resource: undefined, metric, namespace });
  expect([isOwnIn("ns", "lag"), isOwnIn("ns", "own"), isOwnIn(undefined, "lag")]).toEqual([
    true,
    true,
    false,
  ]);
  await harness.clock.advance(0);
  expect([isOwnIn("ns", "lag"), isOwnIn("ns", "own")]).toEqual([false, true]);
});
