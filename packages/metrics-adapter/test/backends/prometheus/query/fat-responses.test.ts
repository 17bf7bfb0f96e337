import { type FakeHandler, type FakeSample, success, vector } from "@plimsoll/prometheus/testing";
import { Registry } from "prom-client";
import { expect, onTestFinished, test } from "vitest";
import { fakeRules } from "../../metric-rules/fake-rules.ts";
import { pod } from "../cluster.ts";
import {
  discovery,
  failureIn,
  type Harness,
  type HarnessOptions,
  required,
  startHarness,
  valueOf,
} from "../harness.ts";

const rules = `
rules:
- {seriesQuery: load, resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}, metricsQuery: '<<.Series>>{<<.LabelMatchers>>}'}
- {seriesQuery: weight, resources: {overrides: {ns: {resource: namespace}}}, metricsQuery: '<<.Series>>{<<.LabelMatchers>>}'}
externalRules:
- {seriesQuery: depth, resources: {overrides: {namespace: {resource: namespace}}}, metricsQuery: '<<.Series>>{<<.LabelMatchers>>}'}
`;
const series = [
  { __name__: "load", namespace: "ns", pod: "a" },
  { __name__: "weight", ns: "a" },
  { __name__: "depth", namespace: "ns" },
];
const mib = 1024 * 1024;
const fat = Object.fromEntries(["a", "b", "c", "d"].map((name) => [name, "x".repeat(mib)]));
const podNames = ["a", "b", "c"];

async function start(query: FakeHandler, options: Partial<HarnessOptions> = {}): Promise<Harness> {
  const objects = {
    pods: podNames.map((name) => pod("ns", name, { app: "x" })),
    namespaces: podNames.map((name) => ({ metadata: { name } })),
  };
  const harness = await startHarness({ rules, series, query, objects, ...options });
  onTestFinished(() => harness.stop());
  return harness;
}

const of = (label: string, name: string, more: object = {}): FakeSample => ({
  labels: { [label]: name, ...more },
  value: "1",
});

/** Samples of about this many bytes together, none of them large. */
const many = (bytes: number, label = "pod"): readonly FakeSample[] =>
  Array.from({ length: Math.ceil(bytes / 500) }, (_, at) =>
    of(label, `other-${String(at)}`, { pad: "x".repeat(420) }),
  );

test("of a list of the cluster's objects one tenant's series of 4 MB is left out, and the others are served", async () => {
  const registry = new Registry();
  const samples = [of("ns", "a"), of("ns", "b", fat), of("ns", "c")];
  const harness = await start(() => vector(samples), { registry });
  const list = async (): Promise<readonly string[]> =>
    valueOf(
      await harness.custom({ metric: "weight", groupResource: "namespaces", namespace: undefined }),
    ).map(({ name }) => name);
  expect([await list(), await list()]).toEqual([
    ["a", "c"],
    ["a", "c"],
  ]);
  expect(await registry.metrics()).toContain(
    'plimsoll_adapter_prometheus_left_out_total{endpoint="query",source="default"} 2',
  );
  const lines = harness.log.filter(({ message }) => message.includes("too large"));
  expect(lines).toMatchObject([
    { level: "warn", fields: { source: "default", endpoint: "query", items: 1, namespace: undefined } },
  ]);
  expect(JSON.stringify(lines).length).toBeLessThan(2_000);
});

test("a metric that callers add up is not served without a series that was left out, and another namespace's is", async () => {
  const harness = await start(({ parameters }) =>
    vector(
      parameters.get("query")?.includes('"ns"') === true
        ? [of("queue", "a"), of("queue", "b", fat)]
        : [of("queue", "a")],
    ),
  );
  const { code, message } = failureIn(await harness.external("depth"));
  expect(code).toBe("Unavailable");
  expect(message).toBe(
    "unable to fetch metrics: 1 series was left out of the response, because the labels are too long: drop the long labels, or aggregate the query without them",
  );
  expect(valueOf(await harness.external("depth", "victim"))).toHaveLength(1);
});

test("where a query for all objects of a namespace lacks one, each object is queried alone", async () => {
  const harness = await start(
    ({ parameters }) => {
      const query = parameters.get("query") ?? "";
      const named = podNames.filter((name) => query.includes(`pod="${name}"`));
      const wanted = named.length > 0 ? named : podNames;
      return vector(wanted.map((name) => of("pod", name, name === "b" ? fat : {})));
    },
    { resultMaxAgeMs: 5_000 },
  );
  const ask = (name: string) => harness.custom({ metric: "load", name });
  expect(valueOf(await ask("a"))).toHaveLength(1);
  expect(valueOf(await ask("c"))).toHaveLength(1);
  expect(failureIn(await ask("b")).message).toContain("left out");
  const pods = valueOf(await harness.custom({ metric: "load" })).map(({ name }) => name);
  expect(pods).toEqual(["a", "c"]);
});

const usageRules = `
resourceRules:
  cpu: &rule
    containerQuery: usage{<<.LabelMatchers>>} by (<<.GroupBy>>)
    nodeQuery: nodeusage{<<.LabelMatchers>>} by (<<.GroupBy>>)
    resources: {overrides: {instance: {resource: node}, namespace: {resource: namespace}, pod: {resource: pod}}}
    containerLabel: container
  memory: *rule
  window: 5m
`;

test("usage: a series of 4 MB costs its own namespace the pods, and no other anything", async () => {
  const harness = await start(
    ({ parameters }) => {
      const query = parameters.get("query") ?? "";
      if (query.startsWith("nodeusage")) return vector([of("instance", "n1"), of("instance", "n2", fat)]);
      const container = { container: "main" };
      const own = [of("pod", "a", container), of("pod", "a", { container: "car", ...fat })];
      return vector(query.includes('"hostile"') ? own : [of("pod", "a", container)]);
    },
    {
      rules: usageRules,
      objects: {
        pods: [pod("ns", "a"), pod("hostile", "a")],
        nodes: [{ metadata: { name: "n1" } }, { metadata: { name: "n2" } }],
      },
    },
  );
  const { resource } = harness.engine;
  const signal = () => new AbortController().signal;
  const query = (namespace?: string) => ({ namespace, labelSelector: "", fieldSelector: "", signal });
  const pods = valueOf(await required(resource).pods(query()));
  expect(pods.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(["ns/a"]);
  // Its containers are added up: a part of them is less than it uses.
  expect(failureIn(await required(resource).pods(query("hostile"))).message).toContain("left out");
  const nodes = valueOf(await required(resource).nodes(query()));
  expect(nodes.map(({ name }) => name)).toEqual(["n1"]);
});

test("discovery by series lists the metrics of the others beside a series of 4 MB", async () => {
  const discover: FakeHandler = (request) => {
    if (request.path !== "/api/v1/series") return { status: 404, body: "" };
    const [match = ""] = request.parameters.getAll("match[]");
    return match.startsWith("load")
      ? success([{ __name__: "load", namespace: "x", pod: "y", ...fat }, ...series])
      : discovery(series, request);
  };
  const harness = await start(() => vector([]), { discover });
  const listed = harness.engine.custom?.list().map(({ metric }) => metric) ?? [];
  expect(listed).toContain("load");
  expect(harness.engine.external?.list()).toEqual(["depth"]);
  expect(harness.engine.readiness()).toEqual({ ready: true, message: "ok" });
});

test("a response for a namespace is bounded, the error says what to do, and other namespaces are served", async () => {
  const harness = await start(({ parameters }) =>
    vector(parameters.get("query")?.includes('"ns"') === true ? many(20 * mib, "queue") : [of("queue", "a")]),
  );
  const { code, message } = failureIn(await harness.external("depth"));
  expect(code).toBe("Unavailable");
  expect(message).toContain("the response for the namespace ns is larger than 16 MiB: aggregate the query");
  expect(valueOf(await harness.external("depth", "victim"))).toHaveLength(1);
});

test("a MetricRule's response is bounded more tightly", async () => {
  const api = fakeRules();
  api.put("ns", "own", { query: "sum by (queue) (own)", type: "External" });
  const harness = await start(() => vector(many(5 * mib, "queue")), { metricRules: api.client });
  await harness.clock.advance(2_000);
  expect(failureIn(await harness.external("own")).message).toContain(
    "the response for the namespace ns is larger than 4 MiB",
  );
});

test("of a sample the cache keeps short labels: a long one is cut", async () => {
  const harness = await start(() => vector([of("queue", "a", { long: "x".repeat(100_000) })]));
  const [value] = valueOf(await harness.external("depth"));
  expect(value?.labels).toEqual({ queue: "a", long: `${"x".repeat(1_024)}…` });
});

test("queries that differ in their selector and all give too much are soon sent rarely, until one succeeds", async () => {
  let isFat = true;
  const harness = await start(({ parameters }) =>
    vector(
      isFat && parameters.get("query")?.includes('"ns"') === true
        ? many(17 * mib, "queue")
        : [of("queue", "a")],
    ),
  );
  const ask = (n: number) => harness.external("depth", "ns", `n!=${n}`);
  const sent = () => harness.queries().filter((query) => query.includes('"ns"')).length;
  for (let n = 0; n < 30; n += 1) expect(failureIn(await ask(n)).code).toBe("Unavailable");
  expect(sent()).toBe(3);
  expect(failureIn(await ask(30)).message).toContain(
    "queries like this one returned too much and are not sent for",
  );
  expect(valueOf(await harness.external("depth", "victim", "n!=1"))).toHaveLength(1);
  isFat = false;
  await harness.clock.advance(2_000);
  for (let n = 40; n < 45; n += 1) expect(valueOf(await ask(n))).toHaveLength(1);
});
