import { vector } from "@plimsoll/prometheus/testing";
import { afterEach, expect, test } from "vitest";
import { pod } from "../cluster.ts";
import { failureIn, type Harness, type HarnessOptions, startHarness, valueOf } from "../harness.ts";

const rules = `
rules:
- seriesQuery: 'http_requests_total{namespace!="",pod!=""}'
  resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}, ingress: {group: networking.k8s.io, resource: ingress}}}
  name: {matches: "^(.*)_total$", as: "\${1}_per_second"}
  metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[2m])) by (<<.GroupBy>>)'
- seriesQuery: '{__name__=~"node_.*"}'
  resources: {template: "<<.Resource>>"}
  metricsQuery: 'avg(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)'
- seriesQuery: 'templated'
  resources: {template: "kube_<<.Group>>_<<.Resource>>"}
  metricsQuery: '<<.Series>>{<<.LabelMatchers>>}'
- seriesQuery: 'inquotes'
  resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}
  metricsQuery: 'x{ns="<<.LabelValuesByName.namespace>>",pod=~"<<index .LabelValuesByName "pod">>"}'
- seriesQuery: 'broken'
  resources: {overrides: {pod: {resource: pod}}}
  metricsQuery: '<<.Nope>>'
`;

const series = [
  { __name__: "http_requests_total", namespace: "ns", pod: "a", ingress: "main" },
  { __name__: "node_load", node: "n1", instance: "i" },
  {
    __name__: "templated",
    kube__namespace: "ns",
    kube_apps_deployment: "d",
    kube_cheese_io_brand: "b",
    kube__nodes: "n",
  },
  { __name__: "inquotes", namespace: "ns", pod: "a" },
  { __name__: "broken", pod: "a" },
];

let harness: Harness;

afterEach(() => harness.stop());

async function start(options: Partial<HarnessOptions> = {}): Promise<Harness> {
  const objects = {
    pods: [pod("ns", "b", { app: "x" }), pod("ns", "a.1", { app: "x" }), pod("other", "c", { app: "x" })],
  };
  harness = await startHarness({ rules, series, objects, ...options });
  return harness;
}

test("lists the resources of the series, cluster-scoped resources as such", async () => {
  await start();
  expect(harness.engine.custom?.list()).toMatchObject([
    { groupResource: "brands.cheese.io", namespaced: false, metric: "templated" },
    { groupResource: "deployments.apps", namespaced: true, metric: "templated" },
    { groupResource: "ingresses.networking.k8s.io", namespaced: true, metric: "http_requests_per_second" },
    { groupResource: "namespaces", namespaced: false, metric: "http_requests_per_second" },
    { groupResource: "namespaces", namespaced: false, metric: "inquotes" },
    { groupResource: "namespaces", namespaced: false, metric: "templated" },
    { groupResource: "nodes", namespaced: false, metric: "node_load" },
    { groupResource: "nodes", namespaced: false, metric: "templated" },
    { groupResource: "pods", namespaced: true, metric: "broken" },
    { groupResource: "pods", namespaced: true, metric: "http_requests_per_second" },
    { groupResource: "pods", namespaced: true, metric: "inquotes" },
  ]);
});

test("discovery does not download series", async () => {
  await start();
  expect(harness.fake.requests.map(({ path }) => path)).not.toContain("/api/v1/series");
});

test("all selected objects in one query, values and times of the samples", async () => {
  await start({
    query: () =>
      vector([
        { labels: { pod: "b" }, value: "10.5", atSeconds: 1_699_999_990.25 },
        { labels: { pod: "a.1" }, value: "0.0009" },
        { labels: { pod: "aX1" }, value: "7" },
        { labels: {}, value: "8" },
      ]),
  });
  const values = valueOf(
    await harness.custom({ metric: "http_requests_per_second", labelSelector: "app=x" }),
  );
  expect(harness.queries()).toEqual([
    'sum(rate(http_requests_total{namespace="ns",pod=~"a\\\\.1|b"}[2m])) by (pod)',
  ]);
  const common = {
    kind: "Pod",
    apiVersion: "/v1",
    namespace: "ns",
    metric: "http_requests_per_second",
    windowSeconds: 120,
    selector: undefined,
  };
  expect(values).toEqual([
    { ...common, name: "a.1", value: "900u", atMs: 1_700_000_000_000 },
    { ...common, name: "b", value: "10500m", atMs: 1_699_999_990_250 },
  ]);
});

test("one object by name needs no object of the cluster", async () => {
  await start({ query: () => vector([{ labels: { ingress: "main" }, value: "2000" }]) });
  const values = valueOf(
    await harness.custom({
      groupResource: "ingress.networking.k8s.io",
      name: "main",
      metric: "http_requests_per_second",
    }),
  );
  expect(values).toMatchObject([
    { kind: "Ingress", apiVersion: "networking.k8s.io/v1", name: "main", value: "2k" },
  ]);
  expect(harness.queries()).toEqual([
    'sum(rate(http_requests_total{namespace="ns",ingress="main"}[2m])) by (ingress)',
  ]);
  expect(harness.cluster.watched).toEqual(["pods"]);
});

test("a metric that describes a namespace, one of the root scope, one of a group with a dot", async () => {
  await start({
    query: ({ parameters }) =>
      vector([
        {
          labels: { namespace: "ns", node: "n1", kube_cheese_io_brand: "b" },
          value: parameters.has("query") ? "1" : "0",
        },
      ]),
  });
  const namespace = await harness.custom({
    groupResource: "namespaces",
    namespace: undefined,
    name: "ns",
    metric: "http_requests_per_second",
  });
  const node = await harness.custom({
    groupResource: "nodes",
    namespace: undefined,
    name: "n1",
    metric: "node_load",
  });
  const brand = await harness.custom({
    groupResource: "brands.cheese.io",
    namespace: undefined,
    name: "b",
    metric: "templated",
  });
  expect([namespace, node, brand].map((outcome) => valueOf(outcome)[0])).toMatchObject([
    { kind: "Namespace", namespace: undefined, name: "ns", windowSeconds: 120 },
    { kind: "Node", name: "n1", windowSeconds: undefined },
    { kind: "Brand", apiVersion: "cheese.io/v2", name: "b" },
  ]);
  expect(harness.queries()).toEqual([
    'sum(rate(http_requests_total{namespace="ns"}[2m])) by (namespace)',
    'avg(node_load{node="n1"}) by (node)',
    'templated{kube_cheese_io_brand="b"}',
  ]);
});

test("the metric selector comes first and goes back with the values", async () => {
  await start({ query: () => vector([{ labels: { pod: "b" }, value: "1" }]) });
  const [value] = valueOf(
    await harness.custom({
      name: "b",
      metric: "http_requests_per_second",
      metricLabelSelector: "verb!=GET,code in (500,1.2),up,!down,a=b",
    }),
  );
  expect(harness.queries()).toEqual([
    'sum(rate(http_requests_total{a="b",code=~"1\\\\.2|500",down="",up!="",verb!="GET",namespace="ns",pod="b"}[2m])) by (pod)',
  ]);
  expect(value?.selector).toEqual({
    matchLabels: { a: "b" },
    matchExpressions: [
      { key: "code", operator: "In", values: ["1.2", "500"] },
      { key: "down", operator: "DoesNotExist" },
      { key: "up", operator: "Exists" },
      { key: "verb", operator: "NotIn", values: ["GET"] },
    ],
  });
});

test.each([
  [{ metricLabelSelector: "a>1" }, /operator of a cannot be used/],
  [{ metricLabelSelector: "=" }, /found '=', expected/],
  [{ labelSelector: "a in" }, /./],
  [{ metricLabelSelector: "namespace=elsewhere" }, /excludes the request's namespace ns/],
])("a bad selector is the caller's mistake: %j", async (query, message) => {
  await start();
  const failed = failureIn(await harness.custom({ metric: "http_requests_per_second", ...query }));
  expect(failed.code).toBe("BadRequest");
  expect(failed.message).toMatch(message);
  expect(harness.queries()).toEqual([]);
});

test.each([
  ["an unknown metric", { metric: "nope" }, "MetricNotFound", /could not find the metric nope for pods$/],
  ["an unknown resource", { metric: "nope", groupResource: "things" }, "ResourceNotFound", /nope for things/],
  ["a short name", { metric: "http_requests_per_second", groupResource: "po" }, "ResourceNotFound", /for po/],
  [
    "a pod at root scope",
    { metric: "http_requests_per_second", namespace: undefined },
    "MetricNotFound",
    /for pods/,
  ],
  ["a node in a namespace", { metric: "node_load", groupResource: "nodes" }, "MetricNotFound", /for nodes/],
  [
    "a selector that matches nothing",
    { metric: "http_requests_per_second", labelSelector: "app=y" },
    "NoObjectsSelected",
    /no pods match the selector "app=y" in namespace ns/,
  ],
  [
    "an object without series",
    { metric: "http_requests_per_second", name: "b" },
    "ObjectNotFound",
    /pods b: it has no series/,
  ],
  [
    "a rule that cannot be rendered",
    { metric: "broken", name: "b" },
    "MetricNotFound",
    /has no label for namespaces/,
  ],
  [
    "a name that cannot be",
    { metric: "http_requests_per_second", name: 'b"} or up{x="' },
    "ObjectNotFound",
    /no object can have that name/,
  ],
  [
    "a namespace that cannot be",
    { metric: "inquotes", name: "b", namespace: 'n"} or up{x="' },
    "ObjectNotFound",
    /no object can have that name/,
  ],
  ["a namespace pattern", { metric: "inquotes", namespace: ".*" }, "NoObjectsSelected", /no pods/],
] as const)("%s", async (_name, query, code, message) => {
  await start();
  const failed = failureIn(await harness.custom(query));
  expect(failed.code).toBe(code);
  expect(failed.message).toMatch(message);
});

test("values by name cannot leave their quotes or match more than themselves", async () => {
  await start({ query: () => vector([]) });
  await harness.custom({ metric: "inquotes" });
  expect(harness.queries()).toEqual(['x{ns="ns",pod=~"a[.]1|b"}']);
});

test("many names go out by POST", async () => {
  const names = Array.from({ length: 3_000 }, (_, at) => `web-7d9f8c6b5-${String(at).padStart(5, "0")}`);
  await start({
    objects: { pods: names.map((name) => pod("ns", name)) },
    query: () => vector(names.map((name) => ({ labels: { pod: name }, value: "1" }))),
  });
  expect(valueOf(await harness.custom({ metric: "http_requests_per_second" }))).toHaveLength(3_000);
  expect(harness.fake.requests.at(-1)?.method).toBe("POST");
});

test("a response is given again within its age, and not after", async () => {
  await start({ query: () => vector([{ labels: { pod: "b" }, value: "1" }]), resultMaxAgeMs: 5_000 });
  const ask = async (): Promise<number> => {
    valueOf(await harness.custom({ metric: "http_requests_per_second" }));
    return harness.queries().length;
  };
  expect(await ask()).toBe(1);
  await harness.clock.advance(5_000);
  expect(await ask()).toBe(1);
  await harness.clock.advance(1);
  expect(await ask()).toBe(2);
});

test("identical requests at the same time are one query", async () => {
  await start({ query: () => vector([{ labels: { pod: "b" }, value: "1" }]) });
  await Promise.all([1, 2, 3].map(() => harness.custom({ metric: "http_requests_per_second" })));
  expect(harness.queries()).toHaveLength(1);
});
