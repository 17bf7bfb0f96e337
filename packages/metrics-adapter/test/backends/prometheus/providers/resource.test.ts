import { failure, vector } from "@plimsoll/prometheus/testing";
import { afterEach, expect, test } from "vitest";
import { pod } from "../cluster.ts";
import { failureIn, type Harness, type HarnessOptions, required, startHarness, valueOf } from "../harness.ts";
import { answer, ask, both, rules } from "./usage.ts";

const objects = {
  pods: [
    pod("ns", "b", { app: "x" }),
    pod("ns", "a", { app: "x" }),
    pod("ns", "done", { app: "x" }, "Succeeded"),
    pod("two", "c"),
  ],
  nodes: [{ metadata: { name: "n1", labels: { zone: "z" } } }, { metadata: { name: "n2" } }],
};

let harness: Harness;

afterEach(() => harness.stop());

async function start(query: HarnessOptions["query"]): Promise<void> {
  harness = await startHarness({ rules, objects, ...(query === undefined ? {} : { query }) });
}

test("running pods with all their containers, sorted", async () => {
  await start(
    answer([
      { labels: { pod: "b", container: "main" }, ...both, atSeconds: 1_700_000_010 },
      { labels: { pod: "b", container: "car" }, cpu: "0.0004", memory: "1000.5", atSeconds: 1_700_000_005 },
      { labels: { pod: "a", container: "main" }, cpu: "-0.1", memory: "2e9" },
      { labels: { pod: "done", container: "main" }, ...both },
    ]),
  );
  expect(valueOf(await required(harness.engine.resource).pods(ask({ labelSelector: "app=x" })))).toEqual([
    {
      name: "a",
      namespace: "ns",
      labels: { app: "x" },
      atMs: 1_700_000_000_000,
      windowSeconds: 300,
      containers: [{ name: "main", usage: { cpu: "0", memory: "1953125Ki" } }],
    },
    {
      name: "b",
      namespace: "ns",
      labels: { app: "x" },
      atMs: 1_700_000_005_000,
      windowSeconds: 300,
      containers: [
        { name: "car", usage: { cpu: "400u", memory: "1000500m" } },
        { name: "main", usage: { cpu: "250m", memory: "1Mi" } },
      ],
    },
  ]);
  expect(harness.queries().toSorted()).toEqual([
    'cpu{namespace="ns",pod=~"a|b"} by (pod,container)',
    'memory{namespace="ns",pod=~"a|b"} by (pod,container)',
  ]);
});

test("all namespaces: one pair of queries for each", async () => {
  await start(answer([{ labels: { pod: "c", container: "m" }, ...both }]));
  const pods = valueOf(await required(harness.engine.resource).pods(ask({ namespace: undefined })));
  expect(pods.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(["two/c"]);
  expect(harness.queries()).toHaveLength(4);
  expect(harness.queries().toSorted()[1]).toBe('cpu{namespace="two",pod="c"} by (pod,container)');
});

test.each([
  ["memory only", [{ labels: { pod: "a", container: "m" }, memory: "1" }]],
  ["cpu only", [{ labels: { pod: "a", container: "m" }, cpu: "1" }]],
  ["NaN", [{ labels: { pod: "a", container: "m" }, cpu: "NaN", memory: "1" }]],
  ["-Inf", [{ labels: { pod: "a", container: "m" }, cpu: "-Inf", memory: "1" }]],
])("a pod with half a reading has none: %s", async (_name, rows) => {
  await start(answer(rows));
  expect(valueOf(await required(harness.engine.resource).pods(ask()))).toEqual([]);
});

test("the pod's own cgroup and its pause container are no containers beside real ones", async () => {
  await start(
    answer([
      { labels: { pod: "a", container: "m" }, ...both },
      { labels: { pod: "a", container: "" }, memory: "5" },
      { labels: { pod: "a", container: "POD" }, memory: "5" },
      { labels: { pod: "b" }, ...both },
    ]),
  );
  const pods = valueOf(await required(harness.engine.resource).pods(ask()));
  expect(pods.map(({ name, containers }) => [name, containers.map((one) => one.name)])).toEqual([
    ["a", ["m"]],
    ["b", [""]],
  ]);
});

test("one pod: absent, without usage, and there", async () => {
  await start(answer([{ labels: { pod: "a", container: "m" }, ...both }]));
  const { pods } = required(harness.engine.resource);
  expect(failureIn(await pods(ask({ name: "zzz" })))).toMatchObject({
    code: "ObjectNotFound",
    message: 'pods "zzz" not found',
  });
  expect(failureIn(await pods(ask({ name: "b" })))).toMatchObject({
    code: "ObjectNotFound",
    message: 'podmetrics.metrics.k8s.io "ns/b" not found',
    resource: "podmetrics.metrics.k8s.io",
    name: "ns/b",
  });
  expect(failureIn(await pods(ask({ name: "done" }))).code).toBe("ObjectNotFound");
  expect(valueOf(await pods(ask({ name: "a" })))).toHaveLength(1);
});

test("nodes, and one of them", async () => {
  await start(answer([{ labels: { instance: "n1" }, cpu: "1.5", memory: "1024" }]));
  const { nodes } = required(harness.engine.resource);
  expect(valueOf(await nodes(ask({ namespace: undefined })))).toEqual([
    {
      name: "n1",
      labels: { zone: "z" },
      atMs: 1_700_000_000_000,
      windowSeconds: 300,
      usage: { cpu: "1500m", memory: "1Ki" },
    },
  ]);
  expect(harness.queries().toSorted()[0]).toBe('nodecpu{instance=~"n1|n2"} by (instance)');
  expect(harness.log.filter(({ level }) => level === "warn")).toMatchObject([
    { fields: { about: "metrics.k8s.io nodes no_usage", name: "n2", cause: "it has no series" } },
  ]);
  expect(failureIn(await nodes(ask({ namespace: undefined, name: "n2" }))).message).toBe(
    'nodemetrics.metrics.k8s.io "n2" not found',
  );
  expect(failureIn(await nodes(ask({ namespace: undefined, name: "zz" }))).message).toBe(
    'node "zz" not found',
  );
});

test("field selectors", async () => {
  await start(
    answer([
      { labels: { pod: "a", container: "m" }, ...both },
      { labels: { pod: "b", container: "m" }, ...both },
    ]),
  );
  const { pods } = required(harness.engine.resource);
  const names = async (fieldSelector: string): Promise<readonly string[]> =>
    valueOf(await pods(ask({ fieldSelector }))).map(({ name }) => name);
  expect(await names("metadata.name=a")).toEqual(["a"]);
  expect(await names("metadata.name!=a,metadata.namespace=ns")).toEqual(["b"]);
  expect(failureIn(await pods(ask({ labelSelector: "!" }))).code).toBe("BadRequest");
});

test("Prometheus failing is said, not hidden as an empty list", async () => {
  await start(() => failure(503, "unavailable", "busy"));
  expect(failureIn(await required(harness.engine.resource).pods(ask())).code).toBe("Unavailable");
  harness.fake.handle(() =>
    vector([
      { labels: { pod: "a", container: "m", x: "1" }, value: "1" },
      { labels: { pod: "a", container: "m", x: "2" }, value: "1" },
    ]),
  );
  expect(failureIn(await required(harness.engine.resource).pods(ask())).message).toMatch(
    /several series for a m/,
  );
});

test("one doubled series costs no other pod its usage, one refused query no other namespace", async () => {
  await start((request) => {
    const promql = request.parameters.get("query") ?? "";
    if (promql.includes('namespace="two"')) return failure(422, "execution", "too many samples");
    return vector([
      { labels: { pod: "a", container: "m", x: "1" }, value: "1" },
      { labels: { pod: "a", container: "m", x: "2" }, value: "1" },
      { labels: { pod: "b", container: "m" }, value: "1" },
    ]);
  });
  const { pods } = required(harness.engine.resource);
  const names = async (namespace: string | undefined): Promise<readonly string[]> =>
    valueOf(await pods(ask({ namespace }))).map(({ name }) => name);
  expect(await names("ns")).toEqual(["b"]);
  expect(await names(undefined)).toEqual(["b"]);
  expect(await names(undefined)).toEqual(["b"]);
  expect(failureIn(await pods(ask({ namespace: "two" }))).message).toContain("too many samples");
  expect(failureIn(await pods(ask({ name: "a" }))).message).toContain("several series for a m");
  const warnings = harness.log.filter(({ message }) => message === "objects are left out of a list");
  expect(warnings.map(({ fields }) => fields)).toEqual([
    {
      about: "metrics.k8s.io pods several_series",
      namespace: "ns",
      name: "a",
      cause: "unable to fetch metrics: resourceRules.cpu returned several series for a m",
    },
    {
      about: "pods of all namespaces",
      namespaces: 1,
      namespace: "two",
      cause: expect.stringContaining("too many samples"),
    },
  ]);
});

test("of a result that two namespaces share, each gets its own values", async () => {
  const labels = { pod: "a", container: "main" };
  harness = await startHarness({
    rules: rules.replaceAll("{<<.LabelMatchers>>}", ""),
    objects: { pods: [pod("ns", "a"), pod("two", "a")] },
    resultMaxAgeMs: 60_000,
    query: answer([
      { labels: { ...labels, namespace: "ns" }, ...both },
      { labels: { ...labels, namespace: "two" }, ...both, cpu: "3" },
    ]),
  });
  const { pods } = required(harness.engine.resource);
  const cpu = async (namespace: string) =>
    valueOf(await pods(ask({ namespace }))).map(({ containers }) => containers[0]?.usage.cpu);
  expect([await cpu("ns"), await cpu("two")]).toEqual([["250m"], ["3"]]);
  expect(harness.queries()).toHaveLength(2);
});

test("no pods, no queries", async () => {
  await start(answer([]));
  expect(valueOf(await required(harness.engine.resource).pods(ask({ namespace: "empty" })))).toEqual([]);
  expect(harness.queries()).toEqual([]);
});
