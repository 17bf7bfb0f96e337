import { systemClock } from "@plimsoll/component-base";
import { createPrometheusClient, type PrometheusClient } from "@plimsoll/prometheus";
import { type RealPrometheus, scraped } from "@plimsoll/prometheus/testing";
import { silentLog } from "@plimsoll/testbed/world";
import { Registry } from "prom-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Engine } from "../../../src/backends/prometheus/engine.ts";
import { assembleEngine } from "../../../src/backends/prometheus/engine.ts";
import { fakeCluster, fakeMapper, pod, podWith } from "./cluster.ts";
import { failureIn, required, rulesOf, valueOf, waitFor } from "./harness.ts";

const rules = rulesOf(`
rules:
- seriesQuery: 'router_packets_total{namespace!="",pod!=""}'
  resources: {template: "<<.Resource>>"}
  name: {matches: "^router_(.*)_total$", as: "\${1}-per-second"}
  metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[5s])) by (<<.GroupBy>>)'
- seriesQuery: '{__name__=~"^shop_.*"}'
  resources: {overrides: {namespace: {resource: namespace}, ingress: {group: networking.k8s.io, resource: ingress}}}
  metricsQuery: '<<.Series>>{<<.LabelMatchers>>}'
externalRules:
- seriesQuery: 'queue_depth'
  resources: {overrides: {namespace: {resource: namespace}}}
  metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (queue)'
- seriesQuery: 'GlobalLag'
  resources: {namespaced: false}
  metricsQuery: 'scalar(<<.Series>>)'
resourceRules:
  cpu:
    containerQuery: 'sum by (<<.GroupBy>>) (rate(container_cpu_usage_seconds_total{container!="",<<.LabelMatchers>>}[5s]))'
    nodeQuery: 'sum by (<<.GroupBy>>) (rate(node_cpu_seconds_total{<<.LabelMatchers>>}[5s]))'
    resources: {overrides: {node: {resource: node}, namespace: {resource: namespace}, pod: {resource: pod}}}
    containerLabel: container
  memory:
    containerQuery: 'sum by (<<.GroupBy>>) (container_memory_working_set_bytes{container!="",<<.LabelMatchers>>})'
    nodeQuery: 'sum by (<<.GroupBy>>) (node_memory_bytes{<<.LabelMatchers>>})'
    resources: {overrides: {node: {resource: node}, namespace: {resource: namespace}, pod: {resource: pod}}}
    containerLabel: container
  window: 5s
`);

/** Counters grow by a known amount each scrape, once a second; a little more, as milli-units are cut off, not rounded. */
function page(scrape: number): string {
  return [
    `up{job="test"} 1`,
    `router_packets_total{namespace="ns",pod="r.1"} ${scrape * 1000.0004}`,
    `router_packets_total{namespace="ns",pod="rX1"} ${scrape * 5.0004}`,
    `router_packets_total{namespace="other",pod="r.1"} ${scrape * 7.0004}`,
    `shop_requests{namespace="ns",ingress="main-route"} 2000`,
    `shop_requests{namespace="ns",ingress="broken"} NaN`,
    `shop_requests{namespace="ns",ingress="double",zone="a"} 1`,
    `shop_requests{namespace="ns",ingress="double",zone="b"} 2`,
    `queue_depth{namespace="ns",queue="a"} 30`,
    `queue_depth{namespace="ns",queue="b"} 0.0005`,
    `queue_depth{namespace="other",queue="a"} 1`,
    `GlobalLag 1e20`,
    `container_cpu_usage_seconds_total{namespace="ns",pod="r.1",container="main"} ${scrape * 0.2504}`,
    `container_memory_working_set_bytes{namespace="ns",pod="r.1",container="main"} 1.073741824e9`,
    `container_memory_working_set_bytes{namespace="ns",pod="r.1",container="migrate"} 0`,
    `container_memory_working_set_bytes{namespace="ns",pod="half",container="main"} 5`,
    `node_cpu_seconds_total{node="n1"} ${scrape * 2.0004}`,
    `node_memory_bytes{node="n1"} 1024`,
    "",
  ].join("\n");
}

export interface ServerUnderTest {
  readonly binary: string;
  readonly start: (binary: string) => Promise<RealPrometheus>;
  /** What a client gets for an object whose only sample is NaN. */
  readonly notANumber: RegExp;
  /** The labels of what scalar() gives. */
  readonly scalarLabels: object | undefined;
  /** How a query that cannot be parsed is refused. */
  readonly refusal: object;
}

/** The engine's tests against a server that evaluates for itself. */
export function testEngineOn(server: ServerUnderTest): void {
  const metrics = new Registry();
  const signal = () => new AbortController().signal;
  let prometheus: RealPrometheus;
  let client: PrometheusClient;
  let engine: Engine;

  beforeAll(async () => {
    prometheus = await server.start(server.binary);
    const nowMs = Date.now();
    // Ahead of now for longer than the tests take.
    await prometheus.write(scraped({ page, fromMs: nowMs - 60_000, toMs: nowMs + 300_000 }));
    client = createPrometheusClient({ url: prometheus.url });
    const cluster = fakeCluster({
      pods: [
        podWith(
          { namespace: "ns", name: "r.1" },
          { containers: [{ name: "main" }], initContainers: [{ name: "migrate" }] },
        ),
        pod("ns", "rX1"),
        pod("ns", "half"),
        pod("ns", "done", {}, "Succeeded"),
        pod("other", "r.1"),
      ],
      nodes: [{ metadata: { name: "n1", labels: { zone: "z" } } }],
    });
    engine = assembleEngine({
      rules,
      source: { client, resultMaxAgeMs: 0 },
      mapper: fakeMapper(),
      reflect: (info) => cluster.reflect(info),
      clock: systemClock,
      relistIntervalMs: 200,
      maxAgeMs: 60_000,
      log: silentLog,
      registry: metrics,
    });
    await engine.start();
    await waitFor(() => engine.custom?.list().length === 4 && engine.external?.list().length === 2);
  });

  afterAll(async () => {
    await engine.stop();
    await client.close();
    await prometheus.stop();
  });

  function custom(groupResource: string, name: string, metric: string, namespace: string | undefined = "ns") {
    const query = {
      groupResource,
      name,
      metric,
      namespace,
      labelSelector: "",
      metricLabelSelector: "",
      signal,
    };
    return required(engine.custom).get(query);
  }

  test("lists metrics by the labels of their series", () => {
    expect(engine.custom?.list()).toMatchObject([
      { groupResource: "ingresses.networking.k8s.io", namespaced: true, metric: "shop_requests" },
      { groupResource: "namespaces", namespaced: false, metric: "packets-per-second" },
      { groupResource: "namespaces", namespaced: false, metric: "shop_requests" },
      { groupResource: "pods", namespaced: true, metric: "packets-per-second" },
    ]);
  });

  test("a rate for all pods of the namespace, each its own", async () => {
    const values = valueOf(await custom("pods", "*", "packets-per-second"));
    expect(values).toMatchObject([
      { name: "r.1", namespace: "ns", windowSeconds: 5, value: "1k" },
      { name: "rX1", namespace: "ns", windowSeconds: 5, value: "5" },
    ]);
    expect(Math.abs(Date.now() - (values[0]?.atMs ?? 0))).toBeLessThan(60_000);
  });

  test("an object by name; what is not a number, or double, is an error", async () => {
    const ingresses = "ingresses.networking.k8s.io";
    expect(valueOf(await custom(ingresses, "main-route", "shop_requests"))).toMatchObject([
      { kind: "Ingress", name: "main-route", value: "2k", windowSeconds: undefined },
    ]);
    expect(failureIn(await custom(ingresses, "broken", "shop_requests")).message).toMatch(server.notANumber);
    expect(failureIn(await custom(ingresses, "double", "shop_requests")).message).toMatch(/several series/);
    expect(failureIn(await custom(ingresses, "absent", "shop_requests")).code).toBe("ObjectNotFound");
  });

  test("external metrics keep to their namespace, or are for all", async () => {
    const external = required(engine.external);
    const values = valueOf(
      await external.get({ namespace: "ns", metric: "queue_depth", labelSelector: "", signal }),
    );
    expect(values.map(({ labels, value }) => [labels, value])).toEqual([
      [{ queue: "a" }, "30"],
      [{ queue: "b" }, "500u"],
    ]);
    const lag = valueOf(
      await external.get({ namespace: "any", metric: "globallag", labelSelector: "", signal }),
    );
    expect(lag).toMatchObject([
      { metric: "GlobalLag", labels: server.scalarLabels, value: "9223372036854775807m" },
    ]);
  });

  test("usage of pods and nodes", async () => {
    const resource = required(engine.resource);
    const query = { namespace: "ns", labelSelector: "", fieldSelector: "", signal };
    const pods = valueOf(await resource.pods(query));
    expect(pods).toMatchObject([
      {
        name: "r.1",
        namespace: "ns",
        windowSeconds: 5,
        containers: [{ name: "main", usage: { cpu: "250m", memory: "1Gi" } }],
      },
    ]);
    const nodes = valueOf(await resource.nodes({ ...query, namespace: undefined }));
    expect(nodes).toMatchObject([{ name: "n1", labels: { zone: "z" }, usage: { cpu: "2", memory: "1Ki" } }]);
  });

  test("a metric that ends gives no value, and a new one is found", async () => {
    const ingresses = "ingresses.networking.k8s.io";
    const labels = { __name__: "shop_orders", namespace: "ns", ingress: "main-route" };
    const orders = () => custom(ingresses, "main-route", "shop_orders");
    expect(failureIn(await orders()).code).toBe("MetricNotFound");
    await prometheus.write([{ labels, samples: [[Date.now(), 7]] }]);
    await expect.poll(async () => (await orders()).ok).toBe(true);
    expect(valueOf(await orders())).toMatchObject([{ name: "main-route", value: "7" }]);
    await prometheus.write([{ labels, samples: [[Date.now(), "stale"]] }]);
    await expect.poll(async () => (await orders()).ok).toBe(false);
    expect(failureIn(await orders()).code).toBe("ObjectNotFound");
  });

  test("requests to Prometheus are timed by endpoint", async () => {
    const text = await metrics.metrics();
    for (const endpoint of ["query", "labels", "label_values"]) {
      expect(text).toMatch(
        new RegExp(
          `plimsoll_adapter_prometheus_request_duration_seconds_count\\{endpoint="${endpoint}",outcome="ok",source="default"\\} [1-9]`,
        ),
      );
    }
  });

  test("a query that Prometheus refuses is reported as such", async () => {
    const error = await client.query("sum(").catch((reason: unknown) => reason);
    expect(error).toMatchObject(server.refusal);
  });
}
