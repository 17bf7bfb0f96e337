// `plimsoll backtest --prometheus-url`: what it says when the history cannot be read.
import { readFile } from "node:fs/promises";
import {
  type FakeHandler,
  type FakePrometheus,
  failure,
  startFakePrometheus,
  success,
} from "@plimsoll/prometheus/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readOneHistory } from "../../src/history/open.ts";
import { backtest, manifest, manifestFolder } from "./command.ts";

const nowMs = () => Date.parse("2026-11-22T00:00:00Z");

const folder = manifestFolder();
let prometheus: FakePrometheus;
beforeAll(async () => {
  await folder.write("hpa.yaml", manifest());
  prometheus = await startFakePrometheus(() => failure(500, "internal", "not asked"));
});
afterAll(async () => {
  await prometheus.close();
});

async function run(handler: FakeHandler, ...more: readonly string[]) {
  prometheus.handle(handler);
  const args = ["hpa/shop", "--prometheus-url", prometheus.url, "--since=1h"];
  return await backtest([...args, "--manifest", folder.path("hpa.yaml"), ...more], { nowMs });
}

/** A series of one point. */
const series = (labels: object) => ({ metric: labels, values: [[1_795_300_000, "1"]] });
const matrix = (...result: readonly object[]) => success({ resultType: "matrix", result });
const span = /query \{.*\}\[3600000ms\], 2026-11-21T23:00:00Z to 2026-11-22T00:00:00Z\n$/;

test("an address where nothing listens is named, with the query and its span", async () => {
  const args = ["hpa/shop", "--prometheus-url", "http://127.0.0.1:1", "--since=1h"];
  const { code, out, err } = await backtest([...args, "--manifest", folder.path("hpa.yaml")], { nowMs });
  expect([code, JSON.parse(JSON.stringify(out))]).toEqual([1, ""]);
  expect(err).toMatch(
    /^error: default\/shop: cannot query Prometheus at http:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/,
  );
  expect(err).toMatch(span);
});

test.each<[what: string, handler: FakeHandler, message: RegExp]>([
  ["missing credentials", () => ({ status: 401, body: "" }), /HTTP 401/],
  [
    "a query that cannot be evaluated",
    () => failure(422, "execution", "many-to-many matching not allowed"),
    /many-to-many matching not allowed/,
  ],
  [
    "a query that takes too long",
    () => failure(503, "timeout", "query timed out in expression evaluation"),
    /query timed out in expression evaluation/,
  ],
  [
    "a proxy's page",
    () => ({ headers: { "content-type": "text/html" }, body: "<html><title>Log in</title></html>" }),
    /<html><title>Log in/,
  ],
])("%s is reported with the query and its span", async (_, handler, message) => {
  const { code, out, err } = await run(handler);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toContain(`error: default/shop: cannot query Prometheus at ${prometheus.url}: `);
  expect(err).toMatch(message);
  expect(err).toMatch(span);
});

test("without kube-state-metrics it says what is missing, and which level remains", async () => {
  const { code, err } = await run(({ path }) => (path.endsWith("/series") ? success([]) : matrix()));
  expect(code).toBe(1);
  expect(err).toBe(
    "error: default/shop: no series kube_horizontalpodautoscaler_* in this time: scrape kube-state-metrics, or use records of --record-inputs (level exact)\n",
  );
});

test("an autoscaler without series is reported with those that are near", async () => {
  const labels = ["shops", "search"].map((name) => ({
    __name__: "kube_horizontalpodautoscaler_info",
    namespace: "default",
    horizontalpodautoscaler: name,
  }));
  const { code, err } = await run(({ path }) => (path.endsWith("/series") ? success(labels) : matrix()));
  expect(code).toBe(1);
  expect(err).toBe(
    "error: default/shop has no series in this time, but these do: default/shops, default/search. Check its name, namespace, and --selector\n",
  );
});

test("a history with gaps of more than a tenth ends with 2, and says where they are", async () => {
  const families = ["spec_max_replicas", "status_current_replicas", "status_desired_replicas"];
  const points = Array.from({ length: 241 }, (_, n) => n)
    .filter((n) => n < 60 || n >= 120)
    .map((n) => [nowMs() / 1000 - 3600 + n * 15, "60"]);
  const own = families.map((family) => ({
    metric: {
      __name__: `kube_horizontalpodautoscaler_${family}`,
      namespace: "default",
      horizontalpodautoscaler: "shop",
    },
    values: points,
  }));
  const { code, err } = await run(() => matrix(...own));
  expect([code, err]).toEqual([
    2,
    "error: default/shop: its history in the series of kube-state-metrics is missing for 25.4 % of the time, first from 2026-11-21T23:14:45Z to 2026-11-21T23:30:00Z: read a time without gaps, or use --partial\n",
  ]);
});

test("two clusters with the same names are distinguished by --selector", async () => {
  const of = (cluster: string) =>
    ["spec_max_replicas", "status_current_replicas", "status_desired_replicas"].map((family) => ({
      metric: {
        __name__: `kube_horizontalpodautoscaler_${family}`,
        namespace: "default",
        horizontalpodautoscaler: "shop",
        cluster,
      },
      values: Array.from({ length: 240 }, (__, n) => [nowMs() / 1000 - 3600 + n * 15, "60"]),
    }));
  const { code, err } = await run(() => matrix(...of("eu"), ...of("us")));
  expect(code).toBe(1);
  expect(err).toBe(
    'error: default/shop: shop is there with cluster "eu" and "us": choose one with --selector cluster="eu"\n',
  );
  await run(() => matrix(series({})), '--selector=cluster="eu"');
  expect(prometheus.requests.at(-2)?.parameters.get("query")).toContain('cluster="eu"');
});

test("one history is read from opening to closing, and its errors are those of the command", async () => {
  prometheus.handle(({ path }) => (path.endsWith("/series") ? success([]) : matrix()));
  const flags = { since: "1h", level: "status", queryTimeout: "10s", requestTimeout: "10s" } as const;
  const own = { ...flags, prometheusUrl: prometheus.url, manifest: folder.path("hpa.yaml") };
  const read = readOneHistory("hpa/shop", own, 15_000, {
    args: [],
    name: "plimsoll",
    version: "1.2.3",
    readText: (file) => readFile(file, "utf8"),
    writeOut: () => undefined,
    writeError: () => undefined,
    nowMs,
    signal: new AbortController().signal,
  });
  await expect(read).rejects.toThrow("default/shop: no series kube_horizontalpodautoscaler_*");
});

test("credentials and headers are sent, and never shown", async () => {
  await folder.write("token", "s3cret\n");
  const { err } = await run(
    () => ({ status: 403, body: "" }),
    `--token-file=${folder.path("token")}`,
    "--prometheus-header=X-Scope-OrgID=team-a",
  );
  const { headers } = prometheus.requests.at(-1) ?? {};
  expect([headers?.authorization, headers?.["x-scope-orgid"]]).toEqual(["Bearer s3cret", "team-a"]);
  expect(err).not.toContain("s3cret");
});

test.each<[args: readonly string[], message: string]>([
  [["--selector=a b"], '--selector a b is not a label matcher: use one such as cluster="eu"'],
  [["--query=load"], "--query load has no metric or no query: use METRIC=PROMQL"],
  [["--query=load=sum("], "--query load sum( is not PromQL: it ends too early"],
  [["--since=soon"], "--since soon is not a duration (7d) or a time (2026-11-15T00:00:00Z)"],
  [["--since=3y"], "--since 3y is more than two years: use a value such as 28d"],
  [
    ["--until=2027-01-01T00:00:00Z"],
    "--until 2027-01-01T00:00:00Z is in the future: omit it to read until now",
  ],
  [["--prometheus-header=secret"], "--prometheus-header must be NAME=VALUE"],
  [
    ["--query-timeout=1ms"],
    "--query-timeout 1ms is not a duration of at least 1s: use a value such as 30s or 5m",
  ],
  [["--anonymize"], "--anonymize removes names from the file of --save: set --save FILE"],
  [["--all"], '--all reports the whole namespace and can\'t be combined with a name ("hpa/shop")'],
  [["--object=a/b"], "--prometheus-url and --object can't be combined: name the objects instead"],
])("%j is refused with its remedy", async (args, message) => {
  const { code, err } = await run(() => failure(500, "internal", "asked"), ...args);
  expect([code, err]).toEqual([1, `error: ${message}\n`]);
});

test("each problem of a rules file is reported with its place", async () => {
  const rules = await folder.write("rules.yaml", "rules: [{ seriesQuery: 'up{' }]\nother: 1\n");
  const { code, err } = await run(() => failure(500, "internal", "asked"), `--rules=${rules}`);
  expect(code).toBe(1);
  expect(err).toBe(
    `error: ${rules}:2:1: other: unknown field "other": use one of rules, externalRules, resourceRules\n`,
  );
});

test.each<[args: readonly string[], message: string]>([
  [["--save=x"], "--save needs --prometheus-url"],
  [["--all"], "--all needs --prometheus-url"],
  [["--token-file=x", "records"], "--token-file needs --prometheus-url"],
  [["--prometheus-url=http://x"], "--prometheus-url needs an object, such as hpa/shop, or --all"],
])("%j does nothing alone", async (args, message) => {
  const { code, err } = await backtest(args, { nowMs });
  expect([code, err]).toEqual([1, `error: ${message}\n`]);
});

test("a name that the manifest lacks is reported with those that it has", async () => {
  const args = ["hpa/shpo", "--prometheus-url", prometheus.url, "--manifest", folder.path("hpa.yaml")];
  const { code, err } = await backtest(args, { nowMs });
  expect(code).toBe(1);
  expect(err).toBe(
    `error: --manifest ${folder.path("hpa.yaml")} has no hpa/shpo: it has hpa/shop in namespace default\n`,
  );
});
