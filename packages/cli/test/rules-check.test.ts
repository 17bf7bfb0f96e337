import { expect, test } from "vitest";
import { good } from "./good-rules.ts";
import { plimsoll, reading } from "./run-plimsoll.ts";
import { usePrometheus } from "./use-prometheus.ts";

// A little more than 10 and 20 a second, as milli-units are cut off, not rounded.
const prometheus = usePrometheus((scrape) => [
  `http_requests_total{job="web",namespace="shop",pod="web-1"} ${scrape * 10.0004}`,
  `http_requests_total{job="web",namespace="shop",pod="web-2"} ${scrape * 20.0004}`,
  'queue_depth{queue="a"} 30',
  'queue_depth{queue="b"} 1500',
  'gauge{namespace="shop",pod="web-1"} NaN',
  'container_memory_working_set_bytes{namespace="shop",pod="web-1",container="main"} 1048576',
]);

const run = (args: readonly string[], files: Readonly<Record<string, string>> = {}) =>
  plimsoll(args, { readText: reading({ "good.yaml": good, ...files }), nowMs: () => Date.now() });

test("a good file has no problems", async () => {
  expect(await run(["rules", "check", "good.yaml"])).toEqual({
    code: 0,
    out: "good.yaml: no problems\n",
    err: "",
  });
});

test("every problem and every warning comes with its line, and ends with 2", async () => {
  const bad =
    "rules:\n- seriesQueri: a\n  name: {matches: '(('}\n- seriesQuery: b\n  metricsQuery: '<<.Series'\n";
  const ended = await run(["rules", "check", "bad.yaml"], { "bad.yaml": bad });
  expect([ended.code, ended.err]).toEqual([2, ""]);
  expect(ended.out.trimEnd().split("\n")).toEqual([
    'error: bad.yaml:2:3: rules[0].seriesQueri: unknown field "seriesQueri": did you mean seriesQuery?',
    expect.stringMatching(
      /^error: bad\.yaml:3:19: rules\[0\]\.name\.matches: not a regular expression of RE2: /,
    ),
    expect.stringMatching(/^error: bad\.yaml:5:\d+: rules\[1\]\.metricsQuery: /),
    expect.stringMatching(/^warning: bad\.yaml:2:3: rules\[0\]: seriesQuery is missing/),
    expect.stringMatching(/^warning: bad\.yaml:2:3: rules\[0\]: resources is missing/),
    "warning: bad.yaml:2:3: rules[0].metricsQuery: the query is missing: its metrics are listed, but every request for them fails; add one, such as sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)",
    expect.stringMatching(/^warning: bad\.yaml:4:3: rules\[1\]: resources is missing/),
    "",
    "bad.yaml: 3 errors, 4 warnings",
  ]);
  const warned = await run(["rules", "check", "-"], { "-": good.replace(/\$\{1\}/, () => "$1") });
  expect(warned.code).toBe(2);
  expect(warned.out).toContain("warning: -:4:");
  expect(warned.out).toContain("was probably meant");
});

test("--prometheus-url is another name of --against", async () => {
  const check = ["rules", "check", "good.yaml"];
  const named = await run([...check, "--prometheus-url", prometheus.url]);
  expect(named).toEqual(await run([...check, "--against", prometheus.url]));
  const both = await run([...check, "--against", "http://a", "--prometheus-url", "http://b"]);
  expect(JSON.stringify(both)).toContain("--against and --prometheus-url are the same flag: use one of them");
  const none = await run(["rules", "query", "-f", "good.yaml", "m"]);
  expect(JSON.stringify(none)).toContain("set the Prometheus that the adapter queries with --against URL");
});

test("against a Prometheus: what each rule finds, and what its query gives", async () => {
  const ended = await run(["rules", "check", "good.yaml", "--against", prometheus.url]);
  expect([ended.code, ended.err]).toEqual([0, ""]);
  expect(ended.out).toMatch(
    new RegExp(
      [
        "^\nrules\\[0\\]: 3 metrics",
        "  jobs.batch/http_requests_per_second  from http_requests_total",
        "  namespaces/http_requests_per_second  from http_requests_total",
        "  pods/http_requests_per_second  from http_requests_total",
        '  query: sum\\(rate\\(http_requests_total\\{namespace="shop",pod="web-[12]"\\}\\[10s\\]\\)\\) by \\(pod\\)',
        '    \\{pod="web-[12]"\\}  [12]0',
        "",
        "externalRules\\[0\\]: 1 metric",
        "  queue_depth  from queue_depth",
        "  query: sum\\(queue_depth\\{\\}\\) by \\(queue\\)",
        '    \\{queue="[ab]"\\}  (30|1500)',
        '    \\{queue="[ab]"\\}  (30|1500)',
        "",
        "good.yaml: no problems\n$",
      ].join("\n"),
    ),
  );
});

test("rules that find nothing, give nothing or lose the label are findings", async () => {
  const overrides = "{namespace: {resource: namespace}, pod: {resource: pod}}";
  const rule = (series: string, query: string): string =>
    `- {seriesQuery: '${series}', resources: {overrides: ${overrides}}, metricsQuery: '${query}'}\n`;
  const resources =
    "resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}, node: {resource: node}}}";
  const odd = `rules:
${rule("no_such_series", "x{<<.LabelMatchers>>}")}${rule("gauge", "<<.Series>>{<<.LabelMatchers>>}")}${rule("gauge", "sum(<<.Series>>{<<.LabelMatchers>>})")}${rule("gauge", "sum(<<.Series>>{<<.LabelMatchers>>}) by (")}${rule("gauge{", "<<.Series>>{<<.LabelMatchers>>}")}- {seriesQuery: gauge, resources: {overrides: {namespace: {resource: namespace}, pod: {group: cheese.io, resource: brand}}}, metricsQuery: 'max(<<.Series>>{<<.LabelMatchers>>} + 1 or vector(1)) by (<<.GroupBy>>)'}
resourceRules:
  cpu: {containerQuery: 'nothing{<<.LabelMatchers>>}', nodeQuery: 'nothing{<<.LabelMatchers>>}', ${resources}, containerLabel: container}
  memory: {containerQuery: 'sum(container_memory_working_set_bytes{<<.LabelMatchers>>}) by (<<.GroupBy>>)', nodeQuery: 'nothing{<<.LabelMatchers>>}', ${resources}, containerLabel: container}
  window: 1m
`;
  const args = ["rules", "check", "odd.yaml", "--against", prometheus.url, "-o", "json"];
  const ended = await run(args, { "odd.yaml": odd });
  expect([ended.code, ended.err]).toEqual([2, ""]);
  const report = JSON.parse(ended.out);
  expect(report).toMatchObject({ schema: "plimsoll/rules-check/v1", file: "odd.yaml", ok: false });
  expect(report.notes).toEqual([expect.stringContaining("brand.cheese.io")]);
  const findings = Object.fromEntries(
    report.rules.map(({ path, findings: found }: { path: string; findings: string[] }) => [path, found]),
  );
  const displaced = "comes from rules[3] instead, the last with this name: rename one with name.as";
  expect(findings).toEqual({
    "rules[0]": ["it finds no metrics"],
    "rules[1]": [`pods/gauge ${displaced}`, "no value is a number"],
    "rules[2]": [
      `pods/gauge ${displaced}`,
      "the result has no label pod; end the query with by (<<.GroupBy>>)",
    ],
    "rules[3]": [expect.stringContaining("parse error")],
    "rules[4]": [expect.stringContaining("parse error")],
    // The sample of vector(1) is of no object.
    "rules[5]": [],
    "resourceRules.cpu.containerQuery": ["the query returned nothing"],
    "resourceRules.cpu.nodeQuery": ["the query returned nothing"],
    "resourceRules.memory.containerQuery": [],
    "resourceRules.memory.nodeQuery": ["the query returned nothing"],
  });
});

test.each([
  [
    ["rules", "check", "missing.yaml"],
    /^error: cannot read missing\.yaml: file not found; check the path\n$/,
  ],
  [
    ["rules", "check", "good.yaml", "--against", "http://127.0.0.1:1"],
    /^error: cannot query Prometheus at http/,
  ],
  [["rules", "check", "good.yaml", "--against", "nonsense"], /^error: cannot query Prometheus/],
  [
    ["rules", "check", "good.yaml", "-o", "xml"],
    /^error: option '-o, --output <FORMAT>' argument 'xml' is invalid/,
  ],
  [["rules", "check"], /^error: missing required argument 'FILE'/],
  [["rule"], /^error: unknown command 'rule'/],
  [
    ["rules", "check", "good.yaml", "--against", "http://127.0.0.1:1", "--max-age", "soon"],
    /^error: --max-age: "soon" is not a duration above zero/,
  ],
])("what the command cannot do ends with 1: %j", async (args, message) => {
  const ended = await run(args);
  expect([ended.code, ended.out]).toEqual([1, ""]);
  expect(ended.err).toMatch(message);
});

test.each(["soon", "-5m", "0"])("--max-age %s is refused without a Prometheus as well", async (maxAge) => {
  const ended = await run(["rules", "check", "good.yaml", `--max-age=${maxAge}`]);
  expect([ended.code, ended.out]).toEqual([1, ""]);
  expect(ended.err).toContain("is not a duration above zero");
});

test.each(["", "# nothing\n", "rules: []\n", "{}\n", "---\n"])(
  "a file without rules is a finding: %j",
  async (input) => {
    const ended = await run(["rules", "check", "-"], { "-": input });
    expect(ended.code).toBe(2);
    expect(ended.out).toContain("no rules, so no metrics: add rules,");
  },
);

test("warnings are shown beside errors, and queries are parsed without a Prometheus", async () => {
  const input = `rules:
- seriesQuery: 'sum(a)'
  resources: {template: "<<.Resource>>"}
  metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[2m]) by (<<.GroupBy>>)'
- seriesQuery: 'b{'
  resources: {template: "<<.Resource>>"}
  metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)'
- seriesQuery: c
  nam: {}
`;
  const ended = await run(["rules", "check", "-"], { "-": input });
  expect(ended.code).toBe(2);
  const lines = ended.out.split("\n").map((line) => line.replace(/^(\w+: -:\d+):\d+:/, "$1:"));
  expect(lines.slice(0, 6)).toEqual([
    expect.stringMatching(/^error: -:9: rules\[2\]\.nam: unknown field "nam": did you mean name\?/),
    expect.stringMatching(
      /^warning: -:2: rules\[0\]\.seriesQuery: seriesQuery selects no series: it is not a selector/,
    ),
    expect.stringMatching(
      /^warning: -:4: rules\[0\]\.metricsQuery: the query is not PromQL: syntax error at "by \(pod\)"; with sample values it is sum\(rate\(sample_series\{/,
    ),
    expect.stringMatching(
      /^warning: -:5: rules\[1\]\.seriesQuery: seriesQuery selects no series: it ends too early/,
    ),
    expect.stringMatching(/^warning: -:8: rules\[2\]: resources is missing/),
    "warning: -:8: rules[2].metricsQuery: the query is missing: its metrics are listed, but every request for them fails; add one, such as sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)",
  ]);
});

test("with MetricRules and backends it says who owns each metric", async () => {
  const files = {
    "mr.yaml": `
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: MetricRule
metadata: {name: http-requests, namespace: shop}
spec: {type: Pods, metric: http_requests_per_second, query: "sum by (pod) (rate(http_requests_total[2m]))"}
`,
    "backends.yaml": `
backends:
- {name: cloud, service: {namespace: cloud, name: m}, groups: [external.metrics.k8s.io], match: {metrics: ["queue_*"]}}
`,
  };
  const check = ["rules", "check", "good.yaml", "--against", prometheus.url];
  const { out } = await run(
    [...check, "--owners-with", "mr.yaml", "--federation-config", "backends.yaml"],
    files,
  );
  const [, owners = ""] = out.split("owners\n");
  expect(owners).toContain("pods/http_requests_per_second: rules[0]\n");
  expect(owners).toContain(
    "pods/http_requests_per_second in shop: MetricRule shop/http-requests; not asked: rules[0]\n",
  );
  expect(owners).toMatch(/queue_depth\S*: externalRules\[0\]; not asked: backend cloud\n/);
  const json = await run([...check, "--federation-config", "backends.yaml", "-o", "json"], files);
  const { owners: listed } = JSON.parse(json.out) as { owners: readonly { metric: string }[] };
  expect(listed.map(({ metric }) => metric)).toContain("pods/http_requests_per_second");
});
