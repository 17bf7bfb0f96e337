// `plimsoll rules query`: a metric's way through the rules, against a real Prometheus.
import { type RealPrometheus, startPrometheusWith } from "@plimsoll/prometheus/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { widthOf } from "../src/output/width.ts";
import { terminals } from "./golden/terminals.ts";
import { startEmptyPrometheus } from "./prometheus-with-token.ts";
import { schemaErrors } from "./published-schema.ts";
import { plimsoll, type Seams } from "./run-plimsoll.ts";

const pods = Array.from({ length: 12 }, (_, n) => `web-${n}`);

let prometheus: RealPrometheus;
const nowMs = Date.now();
beforeAll(async () => {
  prometheus = await startPrometheusWith(
    {
      page: (scrape) =>
        [
          ...pods.map(
            (pod) =>
              `http_requests_total{namespace="monitoring",exported_namespace="web",pod="${pod}"} ${scrape * 15}`,
          ),
          `jobs_total{namespace="web",pod="a"} ${scrape * 15.0006}`,
          `jobs_total{namespace="web",pod="b"} ${scrape * 30.0006}`,
          `renamed_total{namespace="web",kubernetes_pod_name="a"} 1`,
          `doubled{namespace="web",pod="a",path="/x"} 1`,
          `doubled{namespace="web",pod="a",path="/y"} 2`,
          `nothing_number{namespace="web",pod="a"} NaN`,
          `elsewhere{namespace="shop",pod="a"} 1`,
          `queue_depth{queue="q1"} 5`,
          "",
        ].join("\n"),
      fromMs: nowMs - 120_000,
      toMs: nowMs + 600_000,
      stepMs: 15_000,
    },
    { binary: process.env["PROMETHEUS"] ?? "prometheus" },
  );
});
afterAll(() => prometheus?.stop());

const rule = (series: string, name: string, query: string): string =>
  `- seriesQuery: '${series}'\n  resources: {template: "<<.Resource>>"}\n  name: {as: "${name}"}\n  metricsQuery: '${query}'\n`;
const plain = "sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)";

const rules = `rules:
${rule('absent_a{namespace!=""}', "a", plain)}${rule("absent_b", "b", plain)}${rule("absent_c", "c", plain)}- seriesQuery: 'http_requests_total{namespace!="",pod!=""}'
  resources: {template: "<<.Resource>>"}
  name: {matches: "^(.*)_total$", as: "\${1}_per_second"}
  metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[1m])) by (<<.GroupBy>>)'
${rule("absent_d", "d", plain)}`;

const query = (file: string, args: readonly string[], seams: Seams = {}) =>
  plimsoll(["rules", "query", "-f", "rules.yaml", "--against", prometheus.url, ...args], {
    readText: async () => file,
    nowMs: () => Date.now(),
    ...seams,
  });

test("the metric of the specification is followed to where it ends", async () => {
  const args = ["http_requests_per_second", "-n", "web", "--resource", "pods"];
  expect(await query(rules, args)).toEqual({
    code: 0,
    err: "",
    out: `rules[3]  seriesQuery http_requests_total{namespace!="",pod!=""}      12 series
          name        http_requests_total -> http_requests_per_second
          query       sum(rate(http_requests_total{namespace="web",pod=~"…"}[1m])) by (pod)
          result      0 samples
          why         series have exported_namespace="web", namespace="monitoring" (12 of 12)
          fix         honorLabels: true on the scrape, or map exported_namespace in resources.overrides
rules[0], [1], [2], [4]: no series of this name
`,
  });
});

test.each(terminals)("the same, on %s", async (name, terminal) => {
  const args = ["http_requests_per_second", "-n", "web", "--resource", "pods"];
  const { out } = await query(rules, args, { terminal });
  await expect(out).toMatchFileSnapshot(`golden/rules-query-${name}.txt`);
  const lines = out.split("\n").filter((line) => !line.includes("  query  "));
  expect(Math.max(...lines.map((line) => widthOf(line)))).toBeLessThanOrEqual(terminal.columns ?? 0);
});

test("a metric that is served shows its samples, and how many items the API has", async () => {
  const file = `rules:\n${rule("jobs_total", "jobs", "sum(rate(<<.Series>>{<<.LabelMatchers>>}[1m])) by (<<.GroupBy>>)")}`;
  const { code, out } = await query(file, ["jobs", "-n", "web"]);
  expect(code).toBe(0);
  expect(out).toBe(`rules[0]  seriesQuery jobs_total      2 series
          name        jobs_total -> jobs
          query       sum(rate(jobs_total{namespace="web",pod=~"…"}[1m])) by (pod)
          result      2 samples
                      {pod="a"}  1
                      {pod="b"}  2
served    200, 2 items
`);
});

test("-o json has every link, and what is served", async () => {
  const file = `externalRules:\n- {seriesQuery: queue_depth, resources: {namespaced: false}, metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (queue)'}\n`;
  const { out } = await query(file, ["queue_depth", "-o", "json"]);
  expect(schemaErrors("rules-query.v1", out)).toBeNull();
  expect(JSON.parse(out)).toMatchObject({
    schema: "plimsoll/rules-query/v1",
    metric: "queue_depth",
    candidates: [
      {
        rule: "externalRules[0]",
        seriesQuery: "queue_depth",
        series: 1,
        name: "queue_depth",
        promql: "sum(queue_depth{}) by (queue)",
        samples: [{ labels: { queue: "q1" }, value: "5" }],
      },
    ],
    served: { status: 200, items: [{ labels: { queue: "q1" }, value: "5" }] },
    notes: [],
    errors: [],
  });
});

const bare = "<<.Series>>{<<.LabelMatchers>>}";

test.each([
  [
    "a label that no series has",
    rule("renamed_total", "m", plain),
    "no series has the label pod, which the rule maps to pods; they have kubernetes_pod_name, namespace",
    "map kubernetes_pod_name in resources.overrides",
  ],
  [
    "a rule that maps nothing to pods",
    `- {seriesQuery: renamed_total, name: {as: m}, resources: {overrides: {namespace: {resource: namespace}}}, metricsQuery: '${plain}'}\n`,
    "the rule maps no label to pods; the series have kubernetes_pod_name, namespace",
    "add rules[0].resources.overrides.kubernetes_pod_name: {resource: pod}",
  ],
  [
    "series of other namespaces",
    rule("elsewhere", "m", plain),
    'series have namespace="shop" (1 of 1); none is in web',
    "scrape the pods of web, or request one of these namespaces",
  ],
  [
    "several series for one pod",
    rule("doubled", "m", bare),
    /^several series for a: .*path="\/x".* and .*path="\/y"/,
    "aggregate in rules[0].metricsQuery: sum(…) by (<<.GroupBy>>)",
  ],
  [
    "a result without the pod",
    rule("jobs_total", "m", "sum(<<.Series>>{<<.LabelMatchers>>})"),
    "the result has no label pod",
    "end rules[0].metricsQuery with by (<<.GroupBy>>)",
  ],
  [
    "values that are no numbers",
    rule("nothing_number", "m", plain),
    "no value is a number: NaN",
    /^divide by clamp_min/,
  ],
  [
    "a range without two samples",
    rule("jobs_total", "m", "sum(rate(<<.Series>>{<<.LabelMatchers>>}[5s])) by (<<.GroupBy>>)"),
    /^the range of 5s has [01] of the two samples of each series that a rate needs$/,
    "a range of at least 4 scrape intervals in rules[0].metricsQuery",
  ],
  [
    "a query that Prometheus refuses",
    rule("jobs_total", "m", "sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>"),
    /parse error/,
    "correct rules[0].metricsQuery",
  ],
  [
    "a rule that a later one displaces",
    rule("jobs_total", "m", plain) + rule("doubled", "m", plain),
    "rules[1] has the same name and is served instead: the last one wins",
    "rename one of them with name.as, or remove one",
  ],
  [
    "conditions of the query",
    rule("jobs_total", "m", "sum(<<.Series>>{<<.LabelMatchers>>} < 0) by (<<.GroupBy>>)"),
    "2 series exist, but the query's own conditions exclude all of them",
    "correct rules[0].metricsQuery",
  ],
])("it says why, and what to do: %s", async (_, text, why, fix) => {
  const { out, err } = await query(`rules:\n${text}`, ["m", "-n", "web", "-o", "json"]);
  expect(err).toBe("");
  const [candidate] = (JSON.parse(out) as { candidates: { why: string; fix: string }[] }).candidates;
  expect(candidate?.why).toMatch(why);
  expect(candidate?.fix).toMatch(fix);
});

test("a metric of no rule is said to be of none", async () => {
  const { code, out } = await query(rules, ["http_request_per_second", "-n", "web"]);
  expect(code).toBe(2);
  expect(out).toBe(
    "no rule provides http_request_per_second: the server could not find the metric http_request_per_second for pods\n" +
      "rules[0], [1], [2], [3], [4]: no series of this name\n",
  );
});

test.each([
  [["m", "--resource", "pdos"], /^error: --resource pdos: there is no such resource/],
  [["m", "--max-age", "soon"], /^error: --max-age: "soon" is not a duration/],
  [["m", "--against", "http://127.0.0.1:1"], /^error: cannot query Prometheus at http/],
  [["m", "-o", "xml"], /Allowed choices are table, json, yaml/],
])("what it cannot do ends with 1: %j", async (args, message) => {
  const { code, out, err } = await query(rules, args);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(message);
});

test("one object by its name", async () => {
  const { out } = await query(`rules:\n${rule("jobs_total", "m", plain)}`, ["m", "-n", "web", "--name", "a"]);
  expect(out).toContain('{pod="a"}');
  expect(out).not.toContain('{pod="b"}');
});

test("a token and a CA bundle are read from files", async () => {
  const { url, caPem, authorizations } = await startEmptyPrometheus();
  const files = new Map([
    ["token", "abc\n"],
    ["ca.crt", caPem],
  ]);
  const args = ["a", "--against", url, "--token-file=token", "--ca-file=ca.crt"];
  const { code, err } = await query(rules, args, { readText: async (path) => files.get(path) ?? rules });
  expect([code, err]).toEqual([2, ""]);
  expect([...authorizations]).toEqual(["Bearer abc"]);
});
