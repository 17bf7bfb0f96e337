import type { ResourceInfo } from "@plimsoll/kube";
import type { FakeHandler } from "@plimsoll/prometheus/testing";
import { vector } from "@plimsoll/prometheus/testing";
import { expect, onTestFinished, test } from "vitest";
import { fakeMapper, infoOf, pod } from "../prometheus/cluster.ts";
import { failureIn, type Harness, required, startHarness, valueOf } from "../prometheus/harness.ts";
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

/** The query itself is the value: which one was sent shows in what comes back. */
const echo: FakeHandler = ({ parameters }) => {
  const query = parameters.get("query") ?? "";
  const value = query.includes("mine") ? "7" : query.includes("second") ? "8" : "1";
  return vector([{ labels: { pod: "a" }, value }]);
};

async function setUp(query: FakeHandler = echo, api = fakeRules(), waits = true) {
  const options = {
    rules,
    series,
    query,
    objects: { pods: [pod("ns", "a", { app: "x" }), pod("other", "a", { app: "x" })] },
    resultMaxAgeMs: 5_000,
    metricRules: api.client,
    waits,
  };
  const harness = await startHarness(options);
  onTestFinished(() => harness.stop());
  await harness.clock.advance(200);
  const change = async (make: (rules: typeof api) => void): Promise<void> => {
    make(api);
    await harness.clock.advance(2_000);
  };
  return { harness, change };
}

async function custom(harness: Harness, namespace: string, name = "a"): Promise<string> {
  const outcome = await harness.custom({ metric: "packets", namespace, name });
  return outcome.ok ? (outcome.value[0]?.value ?? "none") : outcome.failure.code;
}

async function external(harness: Harness, metric: string, namespace = "ns"): Promise<string> {
  const outcome = await harness.external(metric, namespace);
  return outcome.ok ? (outcome.value[0]?.value ?? "none") : outcome.failure.code;
}

const mine = { type: "Pods", metric: "packets", query: "sum by (pod) (mine)" };

test("a rule hides the metric of the file in its own namespace only, from its creation to its end", async () => {
  const { harness, change } = await setUp();
  expect(await custom(harness, "ns")).toBe("1");
  await change((api) => api.put("ns", "packets", mine));
  expect(await custom(harness, "ns")).toBe("7");
  expect(harness.queries().at(-1)).toBe('sum by (pod) (mine{namespace="ns"})');
  expect(await custom(harness, "other")).toBe("1");
  await change((api) => api.put("ns", "packets", { ...mine, query: "sum by (pod) (second)" }));
  expect(await custom(harness, "ns")).toBe("8");
  await change((api) => api.remove("ns", "packets"));
  expect(await custom(harness, "ns")).toBe("1");
});

test("beside other adapters a rule owns its metric in its own namespace only, and the file in all", async () => {
  const { harness, change } = await setUp();
  const isOwn = harness.engine.owns;
  const queue = (namespace: string, metric: string) => isOwn({ namespace, resource: undefined, metric });
  const pods = (namespace: string, metric: string) => isOwn({ namespace, resource: "pods", metric });
  await change((api) => {
    api.put("ns", "lag", { type: "External", query: "mine" });
    api.put("ns", "busy", { type: "Pods", query: "mine" });
  });
  expect([queue("ns", "lag"), queue("other", "lag"), queue("other", "queue")]).toEqual([true, false, true]);
  expect([pods("ns", "busy"), pods("other", "busy"), pods("other", "packets")]).toEqual([true, false, true]);
  expect(pods("ns", "lag")).toBe(false);
  await change((api) => api.remove("ns", "lag"));
  expect(queue("ns", "lag")).toBe(false);
});

test("a metric of the file is not served as long as a rule may hide it whose resource is looked up", async () => {
  const known = fakeMapper();
  const slow = Promise.withResolvers<ResourceInfo>();
  const mapper = () => ({
    byResource: (name: string) => (name === "pods.v1" ? slow.promise : known.byResource(name)),
    byKind: () => Promise.resolve([]),
    groupVersions: () => Promise.resolve([]),
    refresh: () => Promise.resolve(),
    problem: () => undefined,
  });
  const api = fakeRules();
  api.put("ns", "packets", {
    type: "Object",
    query: "sum by (pod) (mine)",
    object: { resource: "pods.v1", label: "pod" },
  });
  const objects = { pods: [pod("ns", "a", {}), pod("other", "a", {})] };
  const harness = await startHarness({
    rules,
    series,
    query: echo,
    objects,
    mapper,
    metricRules: api.client,
  });
  onTestFinished(() => harness.stop());
  await harness.clock.advance(200);
  const isOwn = harness.engine.owns;
  const target = { resource: "pods", metric: "packets" };
  expect(await custom(harness, "ns")).toBe("Unavailable");
  expect(isOwn({ ...target, namespace: "ns" })).toBe(true);
  expect(await custom(harness, "other")).toBe("1");
  slow.resolve(infoOf("pods"));
  await harness.clock.advance(2_000);
  expect(await custom(harness, "ns")).toBe("7");
});

test("a response that was cached for one owner is not fresh when the metric has another", async () => {
  const { harness, change } = await setUp();
  const before = await harness.custom({ metric: "packets", name: "a" });
  expect(before.ok && before.freshness?.isFresh()).toBe(true);
  await change((api) => api.put("ns", "packets", mine));
  expect(before.ok && before.freshness?.isFresh()).toBe(false);
  const after = await harness.custom({ metric: "packets", name: "a" });
  expect(after.ok && after.freshness?.isFresh()).toBe(true);
  await change((api) => api.put("ns", "packets", { ...mine, query: "sum by (pod) (second)" }));
  expect(after.ok && after.freshness?.isFresh()).toBe(false);
});

test("requests for one rule share its query, whichever pods they are about", async () => {
  const { harness, change } = await setUp();
  await change((api) => api.put("ns", "packets", mine));
  await Promise.all([custom(harness, "ns"), custom(harness, "ns", "*"), custom(harness, "ns", "a")]);
  // The status has it from the same query.
  expect(harness.queries().filter((query) => query.includes("mine"))).toHaveLength(1);
});

test("a spelling of a resource that is not the canonical one finds the same rule", async () => {
  const { harness, change } = await setUp();
  await change((api) => api.put("ns", "packets", mine));
  const outcome = await harness.custom({ metric: "packets", name: "a", groupResource: "pod" });
  expect(valueOf(outcome)).toEqual([
    {
      kind: "Pod",
      apiVersion: "/v1",
      namespace: "ns",
      name: "a",
      metric: "packets",
      value: "7",
      atMs: 1_700_000_000_000,
      windowSeconds: undefined,
      selector: undefined,
    },
  ]);
});

test("external metrics are of the namespace first, and of the file next", async () => {
  const { harness, change } = await setUp();
  await change((api) => api.put("ns", "own", { type: "External", query: "mine" }));
  await change((api) => api.put("ns", "queue", { type: "External", query: "second" }));
  expect(await external(harness, "own")).toBe("7");
  expect(await external(harness, "queue")).toBe("8");
  expect(await external(harness, "queue", "other")).toBe("1");
  expect(await external(harness, "own", "other")).toBe("MetricNotFound");
  expect(failureIn(await harness.external("own", "ns", "region=eu")).code).toBe("BadRequest");
});

test("discovery has what the file and the namespaces have, in the same array until one changes", async () => {
  const { harness, change } = await setUp();
  const { custom: provider, external: other } = harness.engine;
  const before = required(provider).list();
  expect(required(provider).list()).toBe(before);
  await change((api) => api.put("ns", "hits", { ...mine, metric: "hits" }));
  await change((api) => api.put("ns", "own", { type: "External", query: "mine" }));
  expect(required(provider).list()).toContainEqual({
    groupResource: "pods",
    metric: "hits",
    namespaced: true,
  });
  expect(required(other).list()).toEqual(["queue", "own"]);
});

test("a cluster without the kind serves the rules of the file, and is ready", async () => {
  const api = fakeRules();
  api.uninstall();
  const { harness } = await setUp(echo, api);
  expect(harness.engine.readiness()).toEqual({ ready: true, message: "ok" });
  expect(await custom(harness, "ns")).toBe("1");
  expect(await external(harness, "own")).toBe("MetricNotFound");
});

test("slow rules of one namespace delay neither another namespace's rules nor the rules of the file", async () => {
  const slow: FakeHandler = (request) =>
    (request.parameters.get("query") ?? "").includes("slow") ? new Promise(() => {}) : echo(request);
  const { harness, change } = await setUp(slow);
  await change((api) => {
    for (let at = 0; at < 50; at += 1)
      api.put("hostile", `slow-${at}`, { type: "External", query: `slow_${at}` });
    api.put("ns", "own", { type: "External", query: "mine" });
  });
  for (let at = 0; at < 50; at += 1) {
    void harness.external(`slow-${at}`, "hostile");
    void harness.external(`slow-${at}`, "hostile");
  }
  expect(await external(harness, "own")).toBe("7");
  expect(await custom(harness, "ns")).toBe("1");
  expect(harness.queries().filter((query) => query.includes("slow")).length).toBeLessThanOrEqual(4);
  expect(await external(harness, "slow-0", "hostile")).toBe("Unavailable");
});
