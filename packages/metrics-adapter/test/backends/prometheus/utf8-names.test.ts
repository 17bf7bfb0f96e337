// Series as OpenTelemetry names them, which Prometheus has taken since version 3.
import { systemClock } from "@plimsoll/component-base";
import { createPrometheusClient, type PrometheusClient } from "@plimsoll/prometheus";
import { type RealPrometheus, scraped, startRealPrometheus } from "@plimsoll/prometheus/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assembleEngine, type Engine } from "../../../src/backends/prometheus/engine.ts";
import { fakeCluster, fakeMapper, pod } from "./cluster.ts";
import { required, rulesOf, valueOf, waitFor } from "./harness.ts";

const binary = process.env["PROMETHEUS_3"];

const byPod = "overrides: {namespace: {resource: namespace}, pod: {resource: pod}}";
const byAttribute =
  'overrides: {"k8s.namespace.name": {resource: namespace}, "k8s.pod.name": {resource: pod}}';
const rules = rulesOf(`
rules:
- seriesQuery: '{__name__="http.requests",namespace!="",pod!=""}'
  resources: {${byPod}}
  name: {matches: ".*", as: quoted_by_the_rule}
  metricsQuery: 'sum by (<<.GroupBy>>) (rate({"http.requests",<<.LabelMatchers>>}[5s]))'
- seriesQuery: '{__name__=~"http\\\\.requests",namespace!=""}'
  resources: {${byPod}}
  name: {matches: ".*", as: quoted_by_us}
  metricsQuery: 'sum by (<<.GroupBy>>) (rate(<<.Series>>{<<.LabelMatchers>>}[5s]))'
- seriesQuery: '{__name__="active"}'
  resources: {${byAttribute}}
  metricsQuery: |
    sum by ("k8s.pod.name") (<<.Series>>{"k8s.namespace.name"="<<index .LabelValuesByName "k8s.namespace.name">>","k8s.pod.name"=~"<<index .LabelValuesByName "k8s.pod.name">>"})
- seriesQuery: '{"queue.depth","k8s.pod.name"!=""}'
  resources: {template: "k8s.<<.Resource>>.name"}
  metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)'
externalRules:
- seriesQuery: '{"queue.depth"}'
  resources: {overrides: {"k8s.namespace.name": {resource: namespace}}}
  metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by ("queue.name")'
resourceRules:
  cpu: &rule
    containerQuery: 'sum by (<<.GroupBy>>) (rate({"container.cpu",<<.LabelMatchers>>}[5s]))'
    nodeQuery: 'sum by (<<.GroupBy>>) (node)'
    resources: {${byAttribute}}
    containerLabel: k8s.container.name
  memory:
    <<: *rule
    containerQuery: 'sum by (<<.GroupBy>>) ({"container.memory",<<.LabelMatchers>>})'
  window: 5s
`);

const attributes = '"k8s.namespace.name"="ns","k8s.pod.name"';
const page = (scrape: number): string =>
  [
    `{"http.requests",namespace="ns",pod="a"} ${scrape * 10.0004}`,
    `{"http.requests",namespace="ns",pod="b"} ${scrape * 20.0004}`,
    `{"active",${attributes}="a"} 11`,
    `{"active",${attributes}="b"} 22`,
    `{"queue.depth",${attributes}="a","queue.name"="x"} 3`,
    `{"queue.depth",${attributes}="a","queue.name"="y"} 4`,
    `{"container.cpu",${attributes}="a","k8s.container.name"="main"} ${scrape * 0.5004}`,
    `{"container.memory",${attributes}="a","k8s.container.name"="main"} 1024`,
    "",
  ].join("\n");

describe.skipIf(binary === undefined)("UTF-8 names on Prometheus 3, where PROMETHEUS_3 names it", () => {
  const signal = () => new AbortController().signal;
  let prometheus: RealPrometheus;
  let client: PrometheusClient;
  let engine: Engine;

  beforeAll(async () => {
    prometheus = await startRealPrometheus(binary ?? "");
    const nowMs = Date.now();
    await prometheus.write(scraped({ page, fromMs: nowMs - 60_000, toMs: nowMs + 300_000 }));
    client = createPrometheusClient({ url: prometheus.url });
    const cluster = fakeCluster({ pods: [pod("ns", "a"), pod("ns", "b")] });
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    engine = assembleEngine({
      rules,
      source: { client, resultMaxAgeMs: 0 },
      mapper: fakeMapper(),
      reflect: (info) => cluster.reflect(info),
      clock: systemClock,
      relistIntervalMs: 200,
      maxAgeMs: 60_000,
      log,
    });
    await engine.start();
    await waitFor(() => engine.readiness().ready);
  });

  afterAll(async () => {
    await engine.stop();
    await client.close();
    await prometheus.stop();
  });

  const values = async (metric: string, metricLabelSelector = "") => {
    const query = {
      groupResource: "pods",
      name: "*",
      namespace: "ns",
      labelSelector: "",
      metric,
      metricLabelSelector,
    };
    const found = valueOf(await required(engine.custom).get({ ...query, signal }));
    return found.map(({ name, value }) => `${name} ${value}`);
  };

  test.each([
    ["quoted_by_the_rule", ["a 10", "b 20"]],
    ["quoted_by_us", ["a 10", "b 20"]],
    ["active", ["a 11", "b 22"]],
    ["queue.depth", ["a 7"]],
  ])("%s", async (metric, expected) => {
    expect(await values(metric)).toEqual(expected);
  });

  test("a selector names a label that needs quotes", async () => {
    expect(await values("queue.depth", "queue.name=x")).toEqual(["a 3"]);
  });

  test("external metrics and usage", async () => {
    const external = { namespace: "ns", metric: "queue.depth", labelSelector: "queue.name in (x,y)", signal };
    expect(
      valueOf(await required(engine.external).get(external)).map(({ labels, value }) => [labels, value]),
    ).toEqual([
      [{ "queue.name": "x" }, "3"],
      [{ "queue.name": "y" }, "4"],
    ]);
    const usage = { namespace: "ns", labelSelector: "", fieldSelector: "", signal };
    expect(valueOf(await required(engine.resource).pods(usage))).toMatchObject([
      { name: "a", containers: [{ name: "main", usage: { cpu: "500m", memory: "1Ki" } }] },
    ]);
  });
});
