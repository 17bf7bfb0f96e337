import { type RealPrometheus, startPrometheusWith } from "@plimsoll/prometheus/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEmptyPrometheus } from "../prometheus-with-token.ts";
import { apiServer, doctor } from "./api-server.ts";
import { putExample } from "./example.ts";

let prometheus: RealPrometheus;
beforeAll(async () => {
  const nowMs = Date.now();
  prometheus = await startPrometheusWith(
    {
      page: (scrape) => `http_requests_total{namespace="web",pod="web-1",job="web"} ${scrape * 10}\n`,
      fromMs: nowMs - 60_000,
      toMs: nowMs + 600_000,
    },
    { binary: process.env["PROMETHEUS"] ?? "prometheus" },
  );
});
afterAll(() => prometheus?.stop());

const resources = "{overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}";
const rule = (series: string, range: string) =>
  `- {seriesQuery: ${series}, resources: ${resources}, metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[${range}])) by (<<.GroupBy>>)'}\n`;

/** The adapter of the cluster, with its rules in a ConfigMap. */
function serverWith(rules: string) {
  const server = apiServer();
  putExample(server);
  const metadata = { name: "adapter", namespace: "mon" };
  server.put(
    {
      apiVersion: "apiregistration.k8s.io/v1",
      kind: "APIService",
      metadata: { name: "v1beta2.custom.metrics.k8s.io" },
      spec: {
        group: "custom.metrics.k8s.io",
        version: "v1beta2",
        service: { namespace: "mon", name: "adapter" },
      },
    },
    { apiVersion: "v1", kind: "Service", metadata, spec: { selector: { app: "adapter" } } },
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...metadata, labels: { app: "adapter" } },
      spec: {
        containers: [
          {
            name: "main",
            args: ["--config=/etc/adapter/config.yaml"],
            volumeMounts: [{ name: "rules", mountPath: "/etc/adapter" }],
          },
        ],
        volumes: [{ name: "rules", configMap: { name: "adapter" } }],
      },
    },
    { apiVersion: "v1", kind: "ConfigMap", metadata, data: { "config.yaml": `rules:\n${rules}` } },
  );
  return server;
}

const only = ["-n", "pay", "--only=PL-023,PL-026", "-o", "json"];

test("with --prometheus the adapter's rules are followed into it", async () => {
  const rules = `${rule("http_requests_total", "1s")}${rule("no_such_series", "1m")}${rule("http_requests_total", "20m")}`;
  const seams = { nowMs: () => Date.now() };
  const { code, out, err } = await doctor(
    serverWith(rules),
    [...only, "--prometheus", prometheus.url],
    seams,
  );
  expect([code, err]).toEqual([2, expect.not.stringContaining("error")]);
  const { findings } = JSON.parse(out);
  expect(JSON.stringify(findings)).toContain('"what":"scraped every","value":"1s"');
  const found = findings.map(
    ({ id, object, title }: { id: string; object: { name: string }; title: string }) =>
      `${id} ${object.name} ${title}`,
  );
  expect(found.toSorted()).toEqual([
    "PL-023 rules[1] a rule of the adapter finds no series",
    "PL-023 rules[2] a rule of the adapter is shadowed by an earlier one",
    "PL-026 rules[0] a range of a query is shorter than two scrapes",
    "PL-026 rules[2] a range of a query is so long that the metric reacts late",
  ]);
});

test.each([
  ["rules: [", "the adapter's rules are not valid: plimsoll rules check says why"],
  ["", "no adapter with rules in a ConfigMap serves custom.metrics.k8s.io or external.metrics.k8s.io"],
])("rules that cannot be read (%j) leave the rules out, with the reason", async (config, reason) => {
  const server = serverWith("");
  server.put({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "adapter", namespace: "mon" },
    data: { "config.yaml": config },
  });
  const { code, out } = await doctor(server, [...only, "--prometheus", prometheus.url]);
  expect(code).toBe(0);
  expect(JSON.parse(out).skipped.map((skipped: { reason: string }) => skipped.reason)).toEqual([
    reason,
    reason,
  ]);
});

test("a token and a CA bundle of Prometheus are read from files", async () => {
  const { url, caPem, authorizations } = await startEmptyPrometheus();
  const readText = async (path: string) =>
    path === "ca.crt" ? caPem : path === "token" ? "abc\n" : Promise.reject(new Error("no such file"));
  const args = [...only, `--prometheus=${url}`, "--prometheus-token-file=token"];
  const cluster = serverWith(rule("http_requests_total", "1m"));
  const { out } = await doctor(cluster, [...args, "--prometheus-ca-file=ca.crt"], { readText });
  expect([...authorizations]).toEqual(["Bearer abc"]);
  expect(JSON.parse(out).skipped).toEqual([]);
  const { err } = await doctor(cluster, [...args, "--prometheus-ca-file=absent"], { readText });
  expect(err).toMatch(/^error: cannot read absent: /);
});

test("files for Prometheus without its address are an error", async () => {
  const { code, err } = await doctor(serverWith(""), [...only, "--prometheus-ca-file=ca.crt"]);
  expect([code, err]).toEqual([
    1,
    "error: --prometheus-token-file and --prometheus-ca-file need --prometheus\n",
  ]);
});
