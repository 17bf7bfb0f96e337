// Rules of the file with `live`: the engine, and two pods of an ingress controller that serve pages.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { systemClock } from "@plimsoll/component-base";
import { inProcessClient } from "@plimsoll/kube/testing";
import { networks } from "@plimsoll/live";
import { loadRules } from "@plimsoll/rules";
import { until } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { noPrometheus } from "../../../src/app/prometheus-connection.ts";
import { createLive } from "../../../src/backends/live/live.ts";
import { assembleEngine } from "../../../src/backends/prometheus/engine.ts";
import { recordingLog } from "../../http/fakes.ts";
import { fakeCluster, fakeMapper, podWith } from "../prometheus/cluster.ts";
import { failureIn, required, valueOf } from "../prometheus/harness.ts";

const live = `{namespace: gateway, podSelector: {matchLabels: {app: gateway}}, port: metrics}`;
const rules = `
rules:
- seriesQuery: 'gateway_requests{ingress!=""}'
  resources: {overrides: {namespace: {resource: namespace}, ingress: {group: networking.k8s.io, resource: ingress}}}
  name: {as: requests_per_second}
  metricsQuery: sum(rate(<<.Series>>{<<.LabelMatchers>>}[2s])) by (<<.GroupBy>>)
  live: ${live}
externalRules:
- seriesQuery: gateway_requests
  resources: {overrides: {namespace: {resource: namespace}}}
  metricsQuery: sum(rate(<<.Series>>{<<.LabelMatchers>>}[2s])) by (ingress)
  live: ${live}
`;

/** Counters that grow by 10 each second for each Ingress and pod. */
async function serveGateway() {
  const startMs = Date.now();
  const state = { pages: 0, isBroken: (_host: string): boolean => false };
  const server = createServer(({ headers: { host = "" } }, response) => {
    state.pages += 1;
    if (state.isBroken(host)) return void response.writeHead(500).end();
    const value = (Date.now() - startMs) / 100;
    const lines = ["shop a", "shop b", "other a"].map((one) => {
      const [namespace, ingress] = one.split(" ");
      return `gateway_requests{namespace="${namespace}",ingress="${ingress}",pod="x"} ${value}\n`;
    });
    response.end(`# TYPE gateway_requests counter\n${lines.join("")}`);
  });
  await new Promise<void>((resolve) => void server.listen(0, "0.0.0.0", resolve));
  onTestFinished(() => void server.close());
  return Object.assign(state, { port: (server.address() as AddressInfo).port });
}

async function start() {
  const gateway = await serveGateway();
  const loaded = loadRules(rules, "rules.yaml");
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const pods = ["127.77.0.1", "127.77.0.2"].map((podIP, index) =>
    podWith(
      { namespace: "gateway", name: `gateway-${index}`, labels: { app: "gateway" } },
      { containers: [{ name: "main", ports: [{ name: "metrics", containerPort: gateway.port }] }] },
      { phase: "Running", podIP, conditions: [{ type: "Ready", status: "True" }] },
    ),
  );
  const cluster = fakeCluster({
    pods,
    "ingresses.networking.k8s.io": ["a", "b", "c"].map((name) => podWith({ namespace: "shop", name }, {})),
  });
  const log = recordingLog();
  const options = {
    minIntervalMs: 1_000,
    pace: { perNamespace: 100, all: 100 },
    maxBytes: 100_000,
    seriesPerNamespace: 1_000,
    addresses: { allowsNodes: false, allowed: networks(["127.77.0.0/16"]) },
    caFile: undefined,
    insecureSkipVerify: false,
    namespaceLabel: "namespace",
  };
  const readText = () => Promise.reject(new Error("no files"));
  const settings = { options, ca: undefined, userAgent: "test", readText };
  const respond = () => Promise.resolve({ code: 404, body: { kind: "Status", code: 404 } });
  const client = inProcessClient({ clock: systemClock, respond });
  const engine = assembleEngine({
    rules: loaded.rules,
    source: { client: noPrometheus(), resultMaxAgeMs: 1_000 },
    mapper: fakeMapper(),
    reflect: (info) => cluster.reflect(info),
    clock: systemClock,
    relistIntervalMs: 60_000,
    maxAgeMs: 600_000,
    createLive: (parts) => createLive(settings, parts),
    api: { client },
    log,
  });
  await engine.start();
  onTestFinished(() => engine.stop());
  await expect.poll(() => engine.readiness().ready).toBe(true);
  const signal = () => AbortSignal.timeout(20_000);
  const words = { labelSelector: "", metricLabelSelector: "", signal };
  return {
    engine,
    gateway,
    ofIngress: async (name: string, namespace = "shop") =>
      required(engine.custom).get({
        ...words,
        groupResource: "ingresses.networking.k8s.io",
        namespace,
        name,
        metric: "requests_per_second",
      }),
    external: async (labelSelector = "") =>
      required(engine.external).get({ metric: "gateway_requests", namespace: "shop", labelSelector, signal }),
  };
}

test("metrics of Ingresses come from the pods of the gateway, without a Prometheus", async () => {
  const { engine, ofIngress, external } = await start();
  expect(required(engine.external).list()).toEqual(["gateway_requests"]);
  expect(required(engine.custom).list()).toMatchObject([
    { groupResource: "ingresses.networking.k8s.io", namespaced: true, metric: "requests_per_second" },
    { groupResource: "namespaces", namespaced: false, metric: "requests_per_second" },
  ]);
  const [of] = valueOf(await ofIngress("a"));
  expect(of).toMatchObject({ name: "a", namespace: "shop", kind: "Ingress" });
  expect(Math.abs(Number(of?.value.replace("m", "")) - 20_000)).toBeLessThan(5_000);
  expect(valueOf(await ofIngress("*")).map(({ name }) => name)).toEqual(["a", "b"]);
  const values = valueOf(await external());
  expect(values.map(({ labels }) => labels)).toEqual([{ ingress: "a" }, { ingress: "b" }]);
  expect(failureIn(await ofIngress("none"))).toMatchObject({ code: "ObjectNotFound" });
  expect(valueOf(await external("ingress=none"))).toEqual([]);
});

test("pods are scraped once a second, however many queries there are", async () => {
  const { gateway, external, ofIngress } = await start();
  await ofIngress("a");
  const { pages, startedMs } = { ...gateway, startedMs: Date.now() };
  const values = Array.from({ length: 200 }, (_, index) => `ingress!=x${index}`);
  const found = await Promise.all(values.map(external));
  for (const one of found)
    expect(valueOf(one).map(({ labels }) => labels)).toEqual([{ ingress: "a" }, { ingress: "b" }]);
  const ofOthers = await Promise.all(values.map((name) => ofIngress(name, "other")));
  for (const one of ofOthers) expect(failureIn(one)).toMatchObject({ code: "ObjectNotFound" });
  await ofIngress("b");
  const rounds = 2 + Math.ceil((Date.now() - startedMs) / 1_000);
  expect(gateway.pages - pages).toBeLessThanOrEqual(2 * rounds);
});

test("no value is served while a pod of the gateway fails: a sum would be too small", async () => {
  const { gateway, ofIngress } = await start();
  expect((await ofIngress("a")).ok).toBe(true);
  gateway.isBroken = (host) => host.startsWith("127.77.0.2");
  await until("the pod is missed", async () => !(await ofIngress("a")).ok);
  for (const name of ["a", "*"])
    expect(failureIn(await ofIngress(name))).toMatchObject({
      code: "Unavailable",
      message: expect.stringContaining("the pod gateway-1 has not been read for"),
    });
});
