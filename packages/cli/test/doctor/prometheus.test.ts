import { type RealPrometheus, startPrometheusWith } from "@plimsoll/prometheus/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startEmptyPrometheus } from "../prometheus-with-token.ts";
import { putAdapter } from "./adapter.ts";
import { doctor, doctorServer } from "./api-server.ts";
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

function serverWith(rules: string) {
  const server = doctorServer();
  putExample(server);
  putAdapter(server, `rules:\n${rules}`);
  return server;
}

const only = ["-n", "pay", "--only=PL-023,PL-026", "-o", "json"];

test("with --sources-config each rule is followed into the server of its source", async () => {
  const rules = `${rule("http_requests_total", "1m")}${rule("no_such_series", "1m").replace("resources:", "source: other, resources:")}`;
  const sources = `sources:\n- {name: default, url: "${prometheus.url}"}\n- {name: other, url: "${prometheus.url}"}\n`;
  const readText = async (): Promise<string> => sources;
  const args = [...only, "--sources-config", "sources.yaml"];
  const { out } = await doctor(serverWith(rules), args, { nowMs: () => Date.now(), readText });
  const { findings } = JSON.parse(out) as {
    readonly findings: readonly { readonly id: string; readonly object: { readonly name: string } }[];
  };
  expect(findings.filter(({ id }) => id === "PL-023").map(({ object }) => object.name)).toEqual(["rules[1]"]);
});

test("with --prometheus the adapter's rules are followed into it", async () => {
  const usage = `{containerQuery: 'up{<<.LabelMatchers>>}', nodeQuery: 'up{<<.LabelMatchers>>}', resources: ${resources}, containerLabel: container}`;
  const rules = `${rule("http_requests_total", "1s")}${rule("no_such_series", "1m")}${rule("http_requests_total", "20m")}resourceRules: {cpu: ${usage}, memory: ${usage}, window: 1m}\n`;
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
    "PL-023 rules[0] a later rule hides a rule of the adapter",
    "PL-023 rules[1] a rule of the adapter finds no series",
    "PL-026 rules[0] a query's range is shorter than two scrape intervals",
    "PL-026 rules[2] a query's range is so long that the metric reacts late",
  ]);
});

test.each([
  ["adapter-1", ["PL-023"]],
  ["other-1", []],
])("behind a Service without a selector, a pod %s", async (pod, expected) => {
  const server = doctorServer();
  putExample(server);
  const service = { type: "ExternalName", externalName: "localhost" };
  putAdapter(server, `rules:\n${rule("no_such_series", "1m")}`, { service, pod });
  const { out } = await doctor(server, [...only, "--prometheus", prometheus.url]);
  expect(JSON.parse(out).findings.map(({ id }: { id: string }) => id)).toEqual(expected);
});

test.each([
  ["rules: [", "the adapter's rules are invalid: see plimsoll rules check"],
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

test("a token and a CA bundle of Prometheus are read from files, and a header is sent", async () => {
  const { url, caPem, authorizations, tenants } = await startEmptyPrometheus();
  const readText = async (path: string) =>
    path === "ca.crt" ? caPem : path === "token" ? "abc\n" : Promise.reject(new Error("no such file"));
  const args = [...only, `--prometheus=${url}`, "--prometheus-token-file=token"];
  const cluster = serverWith(rule("http_requests_total", "1m"));
  const header = "--prometheus-header=X-Scope-OrgID=team";
  const { out } = await doctor(cluster, [...args, header, "--prometheus-ca-file=ca.crt"], { readText });
  expect([...authorizations, ...tenants]).toEqual(["Bearer abc", "team"]);
  expect(JSON.parse(out).skipped).toEqual([]);
  const { err } = await doctor(cluster, [...args, "--prometheus-ca-file=absent"], { readText });
  expect(err).toMatch(/^error: cannot read absent: /);
});

test("files for Prometheus without its address are an error", async () => {
  const { code, err } = await doctor(serverWith(""), [...only, "--prometheus-ca-file=ca.crt"]);
  expect([code, err]).toEqual([
    1,
    "error: --prometheus-token-file, --prometheus-ca-file and --prometheus-header need --prometheus\n",
  ]);
});

const external = (name: string, query: string) =>
  `- {seriesQuery: http_requests_total, name: {as: ${name}}, resources: {namespaced: false}, metricsQuery: '${query}'}\n`;

test("the metric of an autoscaler is followed to its rule: a refused query, a selector without effect, a label that is lost", async () => {
  const server = serverWith(
    `- {seriesQuery: http_requests_total, name: {as: lost}, resources: ${resources}, metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>})'}
externalRules:
${external("refused", 'sum(<<.Series>>{<<.LabelMatchers>>,job="web"})')}${external("deaf", "max by (job) (<<.Series>>)")}`,
  );
  const metric = (type: string, name: string, rest: object = {}) => ({
    type,
    [type.toLowerCase()]: {
      metric: { name, ...rest },
      target: { type: "AverageValue", averageValue: "10" },
    },
  });
  const selector = { matchLabels: { job: "web" } };
  server.put({
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "billing", namespace: "pay" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "billing" },
      maxReplicas: 9,
      metrics: [
        metric("External", "refused"),
        metric("External", "deaf", { selector }),
        metric("Pods", "lost"),
      ],
    },
  });
  server.reply("/apis/custom.metrics.k8s.io/v1beta2/namespaces/pay/pods/*/lost", { items: [] });
  const message = "Prometheus rejected the query: parse error";
  server.reply("/apis/external.metrics.k8s.io/v1beta1/namespaces/pay/refused", message, 500);
  server.reply("/apis/external.metrics.k8s.io/v1beta1/namespaces/pay/deaf", {
    kind: "ExternalMetricValueList",
    apiVersion: "external.metrics.k8s.io/v1beta1",
    items: [{ metricName: "deaf", metricLabels: {}, timestamp: "2026-11-22T10:30:00Z", value: "5" }],
  });
  const { out } = await doctor(server, [
    "-n",
    "pay",
    "--only=PL-022,PL-051,PL-052,PL-053",
    "-o",
    "json",
    "--prometheus",
    prometheus.url,
  ]);
  const said = JSON.parse(out).findings.map(
    ({ id, title, evidence, fix }: { id: string; title: string; evidence: readonly object[]; fix: string }) =>
      `${id} ${title}: ${JSON.stringify(evidence)} ${fix}`,
  );
  expect(said).toEqual([
    expect.stringMatching(/^PL-053 externalRules\[0\].*without a selector the query is not PromQL/),
    expect.stringMatching(
      /^PL-053 externalRules\[1\].*so the selector of an autoscaler's metric has no effect/,
    ),
    expect.stringMatching(/^PL-022 the metric lost exists.* end metricsQuery of rules\[0\] with by/),
    expect.stringMatching(
      /^PL-051 the metric refused cannot be read: .*Prometheus rejected the query.*correct metricsQuery of externalRules\[0\]/,
    ),
    expect.stringMatching(/^PL-052 the selector of deaf has no effect/),
  ]);
});
