// Rules and series as users of prometheus-adapter reported them, on a real Prometheus, and what is served.
import { readFileSync } from "node:fs";
import { systemClock } from "@plimsoll/component-base";
import { createPrometheusClient, type PrometheusClient } from "@plimsoll/prometheus";
import { type RealPrometheus, scraped, startRealPrometheus } from "@plimsoll/prometheus/testing";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { assembleEngine, type Engine } from "../../../src/backends/prometheus/engine.ts";
import type { Outcome } from "../../../src/backends/prometheus/providers/outcome.ts";
import { fakeCluster, fakeMapper, pod, podWith } from "./cluster.ts";
import { required, rulesOf, waitFor } from "./harness.ts";
import { ask } from "./providers/usage.ts";

const version3 = process.env["PROMETHEUS_3"];
const binary = version3 ?? process.env["PROMETHEUS"] ?? "prometheus";
const stepMs = 2000;
/** Of 0 to 29 of every 60 scrapes an init container runs: it ended 20 s ago. */
const scrapesBefore = 100;

const read = (name: string) => readFileSync(new URL(`reported/${name}`, import.meta.url), "utf8");
const lines = read("series.txt")
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .filter((line) => version3 !== undefined || !line.includes('{"c5'))
  // Written samples have no end: a gauge that would have ended by now is left out.
  .filter((line) => !(line.includes("memory") && line.endsWith("undefined")))
  // A name with a colon in the form that has quotes.
  .map((line) => line.replace(/^([\w]+:[\w:]*)\{/, '{"$1",'));

/** Such as "s*0.4", "5", and "(s%60)<30?s*0.2:undefined". */
function valueAt(expression: string, scrape: number): string | undefined {
  const [, sometimes] = /^\(s%60\)<30\?(.*):undefined$/.exec(expression) ?? [];
  if (sometimes !== undefined) return scrape % 60 < 30 ? valueAt(sometimes, scrape) : undefined;
  return expression.startsWith("s*") ? String(scrape * Number(expression.slice(2))) : expression;
}

const page = (scrape: number): string =>
  lines
    .flatMap((line) => {
      const at = line.lastIndexOf(" ");
      const value = valueAt(line.slice(at + 1), scrape);
      return value === undefined ? [] : [`${line.slice(0, at)} ${value}`];
    })
    .join("\n");

const named = (...names: readonly string[]) => names.map((name) => ({ name }));
const pods = [
  ...["web-1", "web-2", "api-1", "done-1"].map((name) =>
    podWith({ namespace: "shop", name }, { containers: named("app", "side") }),
  ),
  podWith(
    { namespace: "shop", name: "web-3" },
    { containers: named("app"), initContainers: named("migrate") },
  ),
  podWith(
    { namespace: "shop", name: "db-0" },
    { containers: named("app"), initContainers: named("gerbil-init") },
  ),
  pod("monitoring", "exporter-1"),
];
const services = ["web", "api"].map((name) => ({ metadata: { namespace: "shop", name } }));
const nodes = ["node-1", "win-1"].map((name) => ({ metadata: { name } }));

let prometheus: RealPrometheus;
let client: PrometheusClient;
let engine: Engine;

beforeAll(async () => {
  prometheus = await startRealPrometheus(binary);
  const nowMs = Date.now();
  const [fromMs, toMs] = [nowMs - scrapesBefore * stepMs, nowMs + 60_000];
  await prometheus.write(scraped({ page, fromMs, toMs, stepMs }));
  client = createPrometheusClient({ url: prometheus.url });
});

afterEach(() => engine.stop());
afterAll(async () => {
  await client.close();
  await prometheus.stop();
});

async function start(name: string): Promise<void> {
  const cluster = fakeCluster({ pods, services, nodes });
  const silent = () => undefined;
  engine = assembleEngine({
    rules: rulesOf(read(`${name}.yaml`)),
    source: { client, resultMaxAgeMs: 0 },
    mapper: fakeMapper(),
    reflect: (info) => cluster.reflect(info),
    clock: systemClock,
    relistIntervalMs: 60_000,
    maxAgeMs: 60_000,
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
  await engine.start();
  await waitFor(() => engine.readiness().ready);
}

const signal = () => new AbortController().signal;

/** What is served, in a line for each value; or the message of the failure. */
function shown<T>(outcome: Outcome<readonly T[]>, show: (one: T) => string): readonly string[] {
  return outcome.ok ? outcome.value.map(show).toSorted() : [outcome.failure.message];
}

/** A rate of regular scrapes may lose a millionth on the way. */
const rounded = (value: string) =>
  value.endsWith("m") ? String(Math.round(Number(value.slice(0, -1)) / 10) / 100) : value;

const custom = async (metric: string, groupResource = "pods", name = "*") => {
  const query = {
    groupResource,
    name,
    namespace: "shop",
    labelSelector: "",
    metric,
    metricLabelSelector: "",
  };
  const outcome = await required(engine.custom).get({ ...query, signal });
  return shown(outcome, (one) => `${one.name} ${rounded(one.value)}`);
};
const external = async (metric: string, labelSelector = "") => {
  const query = { namespace: "shop", metric, labelSelector };
  const outcome = await required(engine.external).get({ ...query, signal });
  return shown(outcome, ({ labels, value }) => `${Object.values(labels ?? {}).join()} ${value}`.trim());
};
const usage = async () =>
  shown(
    await required(engine.resource).pods(ask({ namespace: "shop" })),
    ({ name, containers }) =>
      `${name} ${containers.map((one) => `${one.name} ${rounded(one.usage.cpu)} ${one.usage.memory}`).join(", ")}`,
  );
const usageOfNodes = async () =>
  shown(await required(engine.resource).nodes(ask({ namespace: "" })), (one) => one.name);

type Row = readonly [
  rules: string,
  request: () => Promise<readonly string[]>,
  served: readonly (string | RegExp)[],
];

const rows: readonly Row[] = [
  [
    "01-pod-and-empty-container",
    usage,
    [/^api-1 {2}0\.15 50000000$/, "done-1 app 0.05 7", "web-1 app 0.2 200000000, side 0.1 100000000"],
  ],
  ["04-windows-kube-prometheus", usageOfNodes, ["node-1", "win-1"]],
  ["05-nan-inf", () => custom("c05_lag"), ["web-1 30"]],
  ["05-nan-inf", () => custom("c05_lag", "pods", "web-2"), [/its value is NaN$/]],
  ["05-nan-inf", () => custom("c05_one", "services", "web"), [/its value is Infinity$/]],
  ["05-nan-inf", () => external("c05_ext"), [/has no usable value: .*topic="b".* is Infinity$/]],
  ["06-negative-usage", usage, ["web-1 app 0 1k"]],
  [
    "09b-two-servicemonitors-raw",
    () => custom("c09_queue", "pods", "web-1"),
    [/several series .*job="web".*job="web-canary"/],
  ],
  ["10-one-pod-doubled-raw", () => custom("c10_conns"), ["web-1 4", "web-2 5"]],
  ["12-colon-and-no-labels", () => external("publish:c12_undelivered_messages"), ["5"]],
  ["16-namespaced-false-leading-comma", () => external("c16_after"), [/Prometheus rejected the query: /]],
  ["16-namespaced-false-leading-comma", () => external("c16_before"), ["150"]],
  ["18-selector-ignored", () => external("c18_ignored", "topic=orders"), ["orders 10", "prices 1k"]],
  ["20-or-vector-0", () => custom("c20_istio_requests_per_second", "services", "web"), ["web 2.5"]],
  [
    "20-or-vector-0",
    () => custom("c20_istio_requests_per_second", "services", "api"),
    [/the result has no label destination_service_name$/],
  ],
  [
    "21-result-without-label",
    () => custom("c21_tps", "services", "web"),
    [/the result has no label destination_service_name; end the query with by/],
  ],
  [
    "25-rate-without-range",
    () => custom("c25_pool_gpu"),
    [/expected type range vector in call to function "rate"/],
  ],
  ["41-capital-letters", () => external("c41_requests_total"), ["3"]],
  ["43-two-series-one-name", () => custom("c43_same"), ["web-1 2"]],
  ["44-comments-in-query", () => custom("c44_commented"), ["web-1 5", "web-2 10"]],
  ["54-dcgm-exported", () => custom("DCGM_FI_DEV_GPU_UTIL_avg"), ["web-1 60"]],
  ["55-tiny-and-large", () => custom("c55_ratio"), ["web-1 400u"]],
  ["58-series-selector-not-in-query", () => custom("c58_requests_rate"), ["web-1 3"]],
  ["59-init-containers", usage, ["db-0 app 0.2 200000000", "web-3 app 0.2 200000000"]],
];
/** With Prometheus 3, where PROMETHEUS_3 names it. */
const quoted: readonly Row[] = [
  ["52-utf8-metric-name", () => custom("c52_http_requests_per_second"), ["web-1 5", "web-2 10"]],
  ["53-utf8-labels", () => custom("c53_active"), ["web-1 11", "web-2 22"]],
];

test.each(version3 === undefined ? rows : [...rows, ...quoted])("%s", async (rules, request, served) => {
  await start(rules);
  const found = await request();
  expect(found).toHaveLength(served.length);
  for (const [at, one] of served.entries())
    expect(found[at]).toMatch(typeof one === "string" ? new RegExp(`^${one}$`) : one);
});

test("55-tiny-and-large: what is beyond the largest quantity is that", async () => {
  await start("55-tiny-and-large");
  const query = { groupResource: "pods", name: "*", namespace: "shop", labelSelector: "", metric: "c55_big" };
  expect(await required(engine.custom).get({ ...query, metricLabelSelector: "", signal })).toMatchObject({
    value: [{ value: "9223372036854775807m" }],
  });
});

test("57-ingress-old-groups: it is ready", async () => {
  await start("57-ingress-old-groups");
  expect(engine.readiness().ready).toBe(true);
});
