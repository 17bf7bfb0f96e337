import { readFileSync } from "node:fs";
import { vector } from "@plimsoll/prometheus/testing";
import { loadRules } from "@plimsoll/rules";
import { afterEach, expect, test } from "vitest";
import { pod } from "../cluster.ts";
import { type Harness, required, startHarness } from "../harness.ts";

const read = (name: string): string =>
  readFileSync(new URL(`../samples/${name}.yaml`, import.meta.url), "utf8");

let harness: Harness;
afterEach(() => harness.stop());

async function start(name: string, series: readonly Readonly<Record<string, string>>[]): Promise<void> {
  harness = await startHarness({
    rules: read(name),
    series,
    objects: { pods: [pod("ns", "p1"), pod("ns", "p2")], nodes: [{ metadata: { name: "n1" } }] },
    query: () => vector([]),
  });
}

function listed(): readonly string[] {
  const infos = harness.engine.custom?.list() ?? [];
  return infos.map(
    ({ groupResource, metric, namespaced }) => `${groupResource}/${metric} ${namespaced ? "n" : "c"}`,
  );
}

async function queryFor(
  groupResource: string,
  metric: string,
  rest: { readonly name?: string; readonly namespace?: string | undefined } = {},
): Promise<string | undefined> {
  await harness.custom({ groupResource, metric, ...rest });
  return harness.queries().at(-1);
}

test.each(["cadvisor-and-defaults", "walkthrough", "resource-metrics"])(
  "%s loads without a problem",
  async (name) => {
    const loaded = loadRules(read(name), `${name}.yaml`);
    expect(loaded.ok).toBe(true);
    // A rule for cluster-scoped objects alone has no need of a label for namespaces.
    const expected = name === "walkthrough" ? ["rules[3]"] : [];
    expect(loaded.ok ? loaded.warnings.map(({ path }) => path) : []).toEqual(expected);
    await start(name, []);
  },
);

test("container metrics: seconds and other counters as rates, gauges as they are, each once", async () => {
  const container = { namespace: "ns", pod: "p1", container: "main" };
  await start("cadvisor-and-defaults", [
    { __name__: "container_cpu_usage_seconds_total", ...container },
    { __name__: "container_network_receive_bytes_total", ...container },
    { __name__: "container_memory_usage_bytes", ...container },
    { __name__: "container_memory_usage_bytes", ...container, container: "POD" },
    { __name__: "container_start_time_seconds", namespace: "ns" },
  ]);
  expect(listed()).toEqual([
    "namespaces/cpu_usage c",
    "namespaces/memory_usage_bytes c",
    "namespaces/network_receive_bytes c",
    "pods/cpu_usage n",
    "pods/memory_usage_bytes n",
    "pods/network_receive_bytes n",
  ]);
  const matchers = 'namespace="ns",pod=~"p1|p2",container!="POD"';
  expect(await queryFor("pods", "cpu_usage")).toBe(
    `sum(rate(container_cpu_usage_seconds_total{${matchers}}[5m])) by (pod)`,
  );
  expect(await queryFor("pods", "network_receive_bytes")).toBe(
    `sum(rate(container_network_receive_bytes_total{${matchers}}[5m])) by (pod)`,
  );
  expect(await queryFor("pods", "memory_usage_bytes")).toBe(
    `sum(container_memory_usage_bytes{${matchers}}) by (pod)`,
  );
});

test("all other metrics by the names of their labels", async () => {
  await start("cadvisor-and-defaults", [
    { __name__: "http_requests_total", namespace: "ns", service: "web", pod: "p1", job: "x", no: "1" },
    { __name__: "process_cpu_seconds_total", namespace: "ns", pod: "p1" },
    { __name__: "queue_length", namespace: "ns", deployment: "worker" },
    { __name__: "up", pod: "p1" },
  ]);
  expect(listed()).toEqual([
    "deployments.apps/queue_length n",
    "namespaces/http_requests c",
    "namespaces/process_cpu c",
    "namespaces/queue_length c",
    "pods/http_requests n",
    "pods/process_cpu n",
    "services/http_requests n",
  ]);
  expect(await queryFor("services", "http_requests", { name: "web" })).toBe(
    'sum(rate(http_requests_total{namespace="ns",service="web"}[5m])) by (service)',
  );
  expect(await queryFor("deployments.apps", "queue_length", { name: "worker" })).toBe(
    'sum(queue_length{namespace="ns",deployment="worker"}) by (deployment)',
  );
  expect(await queryFor("namespaces", "process_cpu", { name: "ns", namespace: undefined })).toBe(
    'sum(rate(process_cpu_seconds_total{namespace="ns"}[5m])) by (namespace)',
  );
});

test("labels by template, names per second, objects of other groups and of the root", async () => {
  await start("walkthrough", [
    { __name__: "http_requests_total", kube_namespace: "ns", kube_pod: "p1" },
    { __name__: "http_requests_total", kube_namespace: "ns", kube_pod: "p2", kube_deployment: "web" },
    { __name__: "rollout_progress", kube__namespace: "ns", kube_apps_deployment: "web" },
    { __name__: "route_requests_total", exported_namespace: "ns", route: "main" },
    { __name__: "node_load1", node: "n1" },
  ]);
  expect(listed()).toEqual([
    "deployments.apps/http_requests_per_second n",
    "deployments.apps/rollout_progress n",
    "ingresses.networking.k8s.io/requests-per-second n",
    "namespaces/http_requests_per_second c",
    "namespaces/requests-per-second c",
    "namespaces/rollout_progress c",
    "nodes/node_load1 c",
    "pods/http_requests_per_second n",
  ]);
  expect(await queryFor("pods", "http_requests_per_second")).toBe(
    'sum(rate(http_requests_total{kube_namespace="ns",kube_pod=~"p1|p2"}[2m])) by (kube_pod)',
  );
  expect(await queryFor("deployments.apps", "rollout_progress", { name: "web" })).toBe(
    'max(rollout_progress{kube__namespace="ns",kube_apps_deployment="web"}) by (kube_apps_deployment)',
  );
  expect(await queryFor("ingresses.networking.k8s.io", "requests-per-second", { name: "main" })).toBe(
    'sum(\n  rate(route_requests_total{exported_namespace="ns",route="main"}[2m])\n) by (route)\n',
  );
  expect(await queryFor("nodes", "node_load1", { namespace: undefined })).toBe(
    'avg(node_load1{node="n1"}) by (node)',
  );
});

test("external metrics of a namespace, and of none", async () => {
  await start("walkthrough", [
    { __name__: "mail_queue_length", namespace: "ns" },
    { __name__: "print_queue_size", namespace: "ns" },
    { __name__: "print_queue_age", namespace: "ns" },
    { __name__: "bus_backlog", topic: "a" },
  ]);
  expect(harness.engine.external?.list()).toEqual(["bus-backlog", "mail_queue_length", "print_queue_size"]);
  await harness.external("mail_queue_length", "ns", "tenant in (b,a)");
  await harness.external("bus-backlog", "anywhere", "topic=a");
  expect(harness.queries()).toEqual([
    'max(mail_queue_length{tenant=~"a|b",namespace="ns"})',
    'sum(bus_backlog{topic="a"}) by (topic)',
  ]);
});

test("cpu and memory of pods and nodes", async () => {
  await start("resource-metrics", []);
  const resource = required(harness.engine.resource);
  const query = { labelSelector: "", fieldSelector: "", signal: () => new AbortController().signal };
  await resource.pods({ ...query, namespace: "ns" });
  await resource.nodes({ ...query, namespace: undefined });
  const pods = 'container!="",namespace="ns",pod=~"p1|p2"';
  expect(
    harness
      .queries()
      .map((promql) => promql.replaceAll(/\s+/g, " ").trim())
      .toSorted(),
  ).toEqual([
    `sum by (node) ( avg_over_time(node_memory_MemTotal_bytes{node="n1"}[3m]) - avg_over_time(node_memory_MemAvailable_bytes{node="n1"}[3m]) )`,
    `sum by (node) ( rate(node_cpu_seconds_total{mode!="idle",mode!="iowait",mode!="steal",node="n1"}[3m]) )`,
    `sum by (pod,container) ( avg_over_time(container_memory_working_set_bytes{${pods}}[3m]) )`,
    `sum by (pod,container) ( rate(container_cpu_usage_seconds_total{${pods}}[3m]) )`,
  ]);
});
