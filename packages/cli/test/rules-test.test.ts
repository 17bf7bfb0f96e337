// `plimsoll rules test`: rules tested against a real Prometheus with the series of each test.
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { schemaErrors } from "./published-schema.ts";
import { plimsoll } from "./run-plimsoll.ts";

const prometheus = process.env["PROMETHEUS"] ?? "prometheus";

const rules = `rules:
- seriesQuery: 'http_requests_total{namespace!="",pod!=""}'
  resources: {template: "<<.Resource>>"}
  name: {matches: "^(.*)_total$", as: "\${1}_per_second"}
  metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[2m])) by (<<.GroupBy>>)'
- seriesQuery: 'temperature'
  resources: {overrides: {machine: {resource: node}, namespace: {resource: namespace}}}
  metricsQuery: 'avg(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)'
externalRules:
- seriesQuery: 'queue_depth{namespace!=""}'
  resources: {template: "<<.Resource>>"}
  metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (queue)'
`;

const otelRules = `rules:
- seriesQuery: '{"queue.depth","k8s.pod.name"!=""}'
  resources: {overrides: {"k8s.namespace.name": {resource: namespace}, "k8s.pod.name": {resource: pod}}}
  metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)'
`;

const rulesTest = (tests: string, args: readonly string[] = []) => {
  const files: Readonly<Record<string, string>> = {
    "dir/tests.yaml": tests,
    "dir/rules.yaml": rules,
    "dir/otel.yaml": otelRules,
  };
  return plimsoll(["rules", "test", "dir/tests.yaml", "--prometheus-bin", prometheus, ...args], {
    async readText(path) {
      const text = files[path];
      if (text === undefined) throw Object.assign(new Error("absent"), { code: "ENOENT" });
      return text;
    },
    nowMs: () => Date.parse("2026-11-22T10:00:00Z"),
  });
};

test("the test of the specification passes", async () => {
  const ended = await rulesTest(`rules: rules.yaml
tests:
  - series: [{ series: 'http_requests_total{namespace="web",pod="a"}', values: '0+60x10' }]
    at: 5m
    get: namespaces/web/pods/*/http_requests_per_second
    expect: [{ pod: a, value: "1" }]
`);
  expect(ended).toEqual({
    code: 0,
    out: "ok      tests[0]  namespaces/web/pods/*/http_requests_per_second\n1 test: 1 passed, 0 failed\n",
    err: "",
  });
});

const prometheus3 = process.env["PROMETHEUS_3"];

test.skipIf(prometheus3 === undefined)(
  "series and labels may need quotes, with Prometheus 3, where PROMETHEUS_3 names it",
  async () => {
    const ended = await rulesTest(
      `rules: otel.yaml
tests:
  - series: [{ series: '{"queue.depth","k8s.namespace.name"="web","k8s.pod.name"="a"}', values: '7x10' }]
    at: 5m
    get: namespaces/web/pods/*/queue.depth
    expect: [{ pod: a, value: "7" }]
`,
      ["--prometheus-bin", prometheus3 ?? ""],
    );
    expect(ended.out).toContain("1 test: 1 passed, 0 failed\n");
  },
);

test("each kind of request, other series, and series that have ended", async () => {
  const ended = await rulesTest(`rules: rules.yaml
interval: 30s
tests:
  - name: one pod of several
    series:
      - { series: 'http_requests_total{namespace="web",pod="a"}', values: '0+30x20' }
      - { series: 'http_requests_total{namespace="web",pod="b"}', values: '0+60x20' }
      - { series: 'http_requests_total{namespace="shop",pod="b"}', values: '0+90x20' }
    get: /apis/custom.metrics.k8s.io/v1beta2/namespaces/web/pods/b/http_requests_per_second
    expect: [{ pod: b, value: "2000m" }]
  - name: the namespace itself
    series:
      - { series: 'http_requests_total{namespace="web",pod="a"}', values: '0+30x20' }
      - { series: 'http_requests_total{namespace="web",pod="b"}', values: '0+60x20' }
    get: namespaces/web/metrics/http_requests_per_second
    expect: [{ namespace: web, value: 3 }]
  - name: objects without a namespace
    interval: 1m
    series: [{ series: 'temperature{machine="m1"}', values: '20 21 _ 23' }]
    get: nodes/*/temperature
    expect: [{ node: m1, value: "23" }]
  - name: external
    series:
      - { series: 'queue_depth{namespace="web",queue="q1"}', values: '5x3' }
      - { series: 'queue_depth{namespace="web",queue="q2"}', values: '7 7 7 7' }
    get: namespaces/web/queue_depth?labelSelector=queue%3Dq1
    expect: [{ queue: q1, value: "5" }]
  - name: ended
    series: [{ series: 'queue_depth{namespace="web",queue="q1"}', values: '5x3 stale' }]
    get: namespaces/web/queue_depth
    expect: []
  - name: no such metric
    series: [{ series: 'queue_depth{namespace="web",queue="q1"}', values: '5' }]
    get: namespaces/web/queue_length
    error: "404: the server could not find the metric queue_length"
`);
  expect(ended.err).toBe("");
  expect(ended.out).toContain("6 tests: 6 passed, 0 failed\n");
  expect(ended.code).toBe(0);
});

const failing = `rules: rules.yaml
tests:
  - series: [{ series: 'http_requests_total{namespace="web",pod="a"}', values: '0+60x10' }]
    at: 5m
    get: namespaces/web/pods/*/http_requests_per_second
    expect: [{ pod: a, value: "2" }, { pod: b, value: "2" }]
  - series: [{ series: 'http_requests_total{namespace="web",pod="a"}', values: '0+60x10' }]
    get: namespaces/web/pods/b/http_requests_per_second
    expect: []
`;

test("a test that fails shows what it expected and what came, and ends with 2", async () => {
  const ended = await rulesTest(failing);
  expect([ended.code, ended.err]).toEqual([2, ""]);
  expect(ended.out).toBe(
    `FAILED  tests[0]  namespaces/web/pods/*/http_requests_per_second
        expected  pod=a  2
                  pod=b  2
        got       pod=a  1
FAILED  tests[1]  namespaces/web/pods/b/http_requests_per_second
        expected  nothing
        got       error 404: the server could not find the metric http_requests_per_second for pods b: it has no series
2 tests: 0 passed, 2 failed
`,
  );
});

test("-o json is one document with its schema", async () => {
  const ended = await rulesTest(failing, ["-o", "json"]);
  expect(ended.code).toBe(2);
  expect(schemaErrors("rules-test.v1", ended.out)).toBeNull();
  expect(JSON.parse(ended.out)).toMatchObject({
    schema: "plimsoll/rules-test/v1",
    at: "2026-11-22T10:00:00.000Z",
    tests: [
      {
        name: "tests[0]",
        ok: false,
        expected: [
          { pod: "a", value: "2" },
          { pod: "b", value: "2" },
        ],
        got: [{ pod: "a", value: "1" }],
      },
      { ok: false },
    ],
    passed: 0,
    failed: 2,
    notes: [],
    errors: [],
  });
});

test("the tests of the demo's rules pass", async () => {
  const file = fileURLToPath(new URL("../../../examples/demo/rules-test.yaml", import.meta.url));
  const { code, out } = await plimsoll(["rules", "test", file, "--prometheus-bin", prometheus]);
  expect(out).toContain("3 tests: 3 passed, 0 failed\n");
  expect(code).toBe(0);
});

test.each([
  ["rules: rules.yaml\n", "dir/tests.yaml:1:1: there are no tests"],
  ["tests: []\n", "there is no rules: name the rules file"],
  [
    "rules: absent.yaml\ntests: [{get: nodes/a/b, expect: []}]\n",
    "cannot read dir/absent.yaml: file not found; check the path",
  ],
  [
    "rules: rules.yaml\ntests: [{expct: [], get: nodes/a/b}]\n",
    'unknown field "expct": did you mean expect?',
  ],
  [
    "rules: rules.yaml\ntests: [{get: nodes, expect: []}]\n",
    "get: write namespaces/NAMESPACE/pods/NAME/METRIC",
  ],
  ["rules: rules.yaml\ntests: [{get: nodes/a/b?x=1, expect: []}]\n", "the parameter x is not taken here"],
  ["rules: rules.yaml\ntests: [{get: nodes/a/b}]\n", "there is neither expect nor error"],
  ["rules: rules.yaml\ntests: [{get: nodes/a/b, expect: [{node: a}]}]\n", "there is no value"],
  ["rules: rules.yaml\ntests: [{get: nodes/a/b, expect: [], at: soon}]\n", '"soon" is not a duration'],
  [
    "rules: rules.yaml\ntests: [{get: nodes/a/b, expect: [], series: [{series: 'a{b}', values: '1'}]}]\n",
    'series: syntax error at "b"',
  ],
  [
    "rules: rules.yaml\ntests: [{get: nodes/a/b, expect: [], series: [{series: 'a', values: '{{sum:1}}'}]}]\n",
    'values: "{{sum:1}}" is not a value: use one such as 1, 0+60x10, _ or stale',
  ],
  [
    "rules: rules.yaml\ntests: [{get: nodes/a/b, expect: [], series: [{series: 'a', values: '0x99999999'}]}]\n",
    "values: there are more than 1000000 values",
  ],
])("what is wrong with a file is an error with its line, and 1: %j", async (text, message) => {
  const ended = await rulesTest(text);
  expect([ended.code, ended.out]).toEqual([1, ""]);
  expect(ended.err).toContain(message);
});

test("a Prometheus that there is not is one sentence with the flag", async () => {
  const ended = await rulesTest(failing, ["--prometheus-bin", "/nowhere/prometheus"]);
  expect(ended).toEqual({
    code: 1,
    out: "",
    err: "error: cannot start /nowhere/prometheus: it is not a program; name the program Prometheus with --prometheus-bin\n",
  });
});
