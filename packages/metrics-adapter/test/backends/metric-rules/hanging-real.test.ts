// A real Prometheus with four query slots, and queries that neither its timeout nor a closed connection ends.
import { createServer, type ServerResponse } from "node:http";
import { systemClock } from "@plimsoll/component-base";
import { createPrometheusClient } from "@plimsoll/prometheus";
import { type RealPrometheus, startRealPrometheus } from "@plimsoll/prometheus/testing";
import { listen } from "@plimsoll/testbed/world";
import { describe, expect, onTestFinished, test } from "vitest";
import { loadMetricRules } from "../../../src/backends/metric-rules/load.ts";
import { assembleEngine } from "../../../src/backends/prometheus/engine.ts";
import { recordingLog } from "../../http/fakes.ts";
import { fakeCluster, fakeMapper, pod } from "../prometheus/cluster.ts";
import { failureIn, required, rulesOf, valueOf, waitFor } from "../prometheus/harness.ts";
import { fakeRules } from "./fake-rules.ts";

const slots = 4;
const rules = rulesOf(`
rules:
- seriesQuery: 'packets{namespace!=""}'
  resources: {template: "<<.Resource>>"}
  metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)'
`);

/** A remote storage that never responds: a query that reads it holds its slot. Counts these queries. */
async function silentStorage() {
  const reads = new Set<object>();
  const server = createServer((request) => {
    reads.add(request);
    request.socket.on("close", () => reads.delete(request));
  });
  return { url: `http://${(await listen(server)).host}`, holding: () => reads.size };
}

/** In front of Prometheus: gives queries that read the remote storage all the time they want, whoever has left. */
async function withoutEnd(prometheus: RealPrometheus): Promise<string> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", prometheus.url);
    if (url.searchParams.get("query")?.includes("hang") === true) url.searchParams.set("timeout", "10m");
    void forward(url, response);
  });
  return `http://${(await listen(server)).host}`;
}

async function forward(url: URL, response: ServerResponse): Promise<void> {
  try {
    const reply = await fetch(url);
    const text = await reply.text();
    response.writeHead(reply.status, { "content-type": "application/json" }).end(text);
  } catch {
    response.destroy();
  }
}

async function setUp(binary: string) {
  const storage = await silentStorage();
  const prometheus = await startRealPrometheus(binary, undefined, {
    configText: `remote_read: [{url: "${storage.url}", remote_timeout: 10m, required_matchers: {hang: "yes"}}]`,
    flags: [`--query.max-concurrency=${slots}`, "--query.timeout=10m"],
  });
  onTestFinished(() => prometheus.stop());
  const nowMs = Date.now();
  const samples = Array.from({ length: 60 }, (_, at): [number, number] => [nowMs - 60_000 + at * 10_000, 7]);
  const series = ["victim", "hostile"].map((namespace) => ({
    labels: { __name__: "packets", namespace, pod: "a" },
    samples,
  }));
  await prometheus.write(series);
  const client = createPrometheusClient({ url: await withoutEnd(prometheus) });
  const api = fakeRules();
  const engine = assembleEngine({
    rules,
    source: { client, resultMaxAgeMs: 0, queryTimeoutMs: 5_000, maxQueries: slots },
    mapper: fakeMapper(),
    reflect: (info) => fakeCluster({ pods: [pod("victim", "a"), pod("hostile", "a")] }).reflect(info),
    createMetricRules: required(
      await loadMetricRules({ namespaceLabel: "namespace", rulesPerNamespace: 50 }),
    ),
    api: { client: api.client(systemClock) },
    clock: systemClock,
    relistIntervalMs: 60_000,
    maxAgeMs: 600_000,
    log: recordingLog(),
  });
  onTestFinished(async () => {
    await engine.stop();
    await client.close();
  });
  await engine.start();
  await waitFor(() => engine.readiness().ready);
  const signal = () => new AbortController().signal;
  const all = { labelSelector: "", metricLabelSelector: "", signal };
  return {
    api,
    storage,
    external: async (namespace: string, metric: string) =>
      await required(engine.external).get({ metric, namespace, labelSelector: "", signal }),
    ofFile: async (namespace: string) =>
      await required(engine.custom).get({
        metric: "packets",
        groupResource: "pods",
        namespace,
        name: "a",
        ...all,
      }),
  };
}

const binaries: readonly (readonly [string, string | undefined])[] = [
  ["Prometheus", process.env["PROMETHEUS"] ?? "prometheus"],
  ["Prometheus 3", process.env["PROMETHEUS_3"]],
];

describe.each(binaries)("%s", (_, binary) => {
  // `npm test` brings each server where the distribution has it.
  test.skipIf(binary === undefined)(
    "the rules file and other namespaces are served while 24 MetricRules do all they can to hang",
    async () => {
      const { api, storage, external, ofFile } = await setUp(binary ?? "");
      api.put("victim", "good", { type: "External", query: "packets" });
      // Until the rule has been read.
      while (!(await external("victim", "good")).ok) await new Promise((resolve) => setTimeout(resolve, 20));
      for (let at = 0; at < 24; at += 1)
        api.put("hostile", `r${at}`, { type: "External", query: `count(packets{hang="yes"} > ${at})` });
      const stop = new AbortController();
      const refused: string[] = [];
      const attack = Array.from({ length: 24 }, async (_one, at) => {
        while (!stop.signal.aborted) {
          refused.push(failureIn(await external("hostile", `r${at}`)).message);
          // The attack has a pace of its own.
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      });
      await waitFor(() => refused.filter((message) => message.includes("may still run")).length >= 200);
      for (let times = 0; times < 20; times += 1) {
        expect(valueOf(await ofFile("victim"))).toHaveLength(1);
        expect(valueOf(await ofFile("hostile"))).toHaveLength(1);
        expect(valueOf(await external("victim", "good"))).toHaveLength(1);
        expect(storage.holding()).toBe(1);
      }
      stop.abort();
      await Promise.all(attack);
    },
  );
});
