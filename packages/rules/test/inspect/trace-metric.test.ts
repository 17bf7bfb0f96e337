// What `plimsoll rules query` says of each link from a rule to its values.
import { expect, test } from "vitest";
import { createBuiltinMapper, loadRules, type MetricRequest, traceMetric } from "../../src/index.ts";
import { maxAgeMs, memoryPrometheus, nowMs, type Stored } from "../memory-prometheus.ts";

const plain = "sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)";
const both = "{namespace: {resource: namespace}, pod: {resource: pod}}";
const rule = (seriesQuery: string, metricsQuery: string | undefined, overrides = both): string =>
  `- {seriesQuery: '${seriesQuery}', name: {as: m}, resources: {overrides: ${overrides}}${
    metricsQuery === undefined ? "" : `, metricsQuery: '${metricsQuery}'`
  }}\n`;
const external = (seriesQuery: string, metricsQuery: string, namespaced = false): string =>
  `externalRules:\n- {seriesQuery: '${seriesQuery}', name: {as: m}, resources: {namespaced: ${namespaced}, overrides: ${both}}, metricsQuery: '${metricsQuery}'}\n`;

async function trace(text: string, stored: Stored, request: Partial<MetricRequest> = {}) {
  const loaded = loadRules(text.startsWith("-") ? `rules:\n${text}` : text, "rules.yaml");
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const mapper = createBuiltinMapper(loaded.rules);
  const { signal } = new AbortController();
  const prometheus = memoryPrometheus(stored);
  const isExternal = text.startsWith("external");
  return traceMetric(
    { rules: loaded.rules, mapper, prometheus, atMs: nowMs, maxAgeMs, signal },
    {
      metric: "m",
      namespace: "web",
      resource: isExternal ? undefined : "pods",
      name: "*",
      selector: [],
      ...request,
    },
  );
}

type Row = readonly [what: string, rules: string, stored: Stored, request?: Partial<MetricRequest>];
const podA = 'x{namespace="web",pod="a"}';
const podB = 'x{namespace="web",pod="b"}';
const ofBoth = 'sum(x{namespace="web",pod=~"a|b"}) by (pod)';
const ofA = 'sum(x{namespace="web",pod="a"}) by (pod)';
const queue = { matcher: { label: "queue", operator: "=", value: "q" }, values: ["q"] } as const;
const rows: readonly Row[] = [
  ["no query", rule("x", undefined), { series: [podA] }],
  [
    "no label for pods",
    rule("x", plain, "{namespace: {resource: namespace}}"),
    { series: ['x{namespace="web"}'] },
  ],
  [
    "one that would do",
    rule("x", plain, "{namespace: {resource: namespace}}"),
    { series: ['x{namespace="web",kubernetes_pod_name="a",exported_pod="a",podium="p"}'] },
  ],
  ["a label that no series has", rule("x", plain), { series: ["x"] }],
  [
    "other labels, one with the name of a pod",
    rule("x", plain),
    { series: ['x{b="",c="",d="",e="",f="",pod_name="a"}'] },
  ],
  ["a label for namespaces", rule("x", plain, "{pod: {resource: pod}}"), { series: [podA] }],
  [
    "other namespaces",
    rule("x", plain),
    { series: ['x{namespace="shop",pod="a"}', 'x{namespace="app",pod="a"}'] },
  ],
  [
    "the namespace in another label",
    rule("x", plain),
    {
      series: [
        'x{namespace="mon",exported_namespace="web",pod="a"}',
        'x{namespace="mon",exported_namespace="app",pod="a"}',
      ],
    },
  ],
  ["none at all", rule("x", plain), { series: ['x{pod="a"}'] }],
  ["none, and another label", rule("x", plain), { series: ['x{team="web",pod="a"}'] }],
  ["external metrics of other namespaces", external("x", plain, true), { series: ['x{namespace="app"}'] }],
  [
    "another rule",
    rule("x", plain) + rule("y", plain),
    {
      series: [podA, podA.replace("x", "y")],
      answers: { [ofA]: ['{pod="a"} 1'], [ofA.replace("x", "y")]: ['{pod="a"} 2'] },
    },
  ],
  [
    "another series",
    rule('{__name__=~"x|y"}', plain),
    {
      series: [podA, podA.replace("x", "y")],
      answers: {
        [ofA]: ['{pod="a"} 1'],
        [ofA.replace("x", "y")]: ['{pod="a"} 2'],
        'count by (__name__) (last_over_time({__name__=~"x|y"}[300000ms]))': ["x 1", "y 1"],
      },
    },
  ],
  ["a failure", rule("x", plain), { series: [podA], answers: { [ofA]: new Error("out of memory") } }],
  ["a scalar for pods", rule("x", plain), { series: [podA], answers: { [ofA]: 5 } }],
  ["a matrix", rule("x", plain), { series: [podA], answers: { [ofA]: "matrix" } }],
  ["a scalar", external("x", "scalar(x)"), { series: [podA], answers: { "scalar(x)": 5 } }],
  [
    "a matrix of external metrics",
    external("x", "x[5m]"),
    { series: [podA], answers: { "x[5m]": "matrix" } },
  ],
  ["no pod in the result", rule("x", "sum(x)"), { series: [podA], answers: { "sum(x)": ["{} 5"] } }],
  [
    "a part without the pod",
    rule("x", `${plain} * on() up`),
    { series: [podA], answers: { [`${ofA} * on() up`]: ["{} 5"] } },
  ],
  [
    "vector",
    rule("x", `${plain} or vector(0)`),
    { series: [podA], answers: { [`${ofA} or vector(0)`]: ["{} 0"] } },
  ],
  [
    "several series for each pod",
    rule("x", "x{<<.LabelMatchers>>}"),
    {
      series: [podA],
      answers: {
        'x{namespace="web",pod="a"}': ['{pod="a",path="/y"} 1', '{pod="a",path="/x"} 2', '{pod="a"} 3'],
      },
    },
  ],
  [
    "several series for one pod, and those of other namespaces",
    rule("x", "x{<<.LabelMatchers>>}"),
    {
      series: [podA, podB],
      answers: {
        'x{namespace="web",pod=~"a|b"}': [
          '{pod="a",path="/y"} 1',
          '{pod="a",path="/x"} 2',
          '{pod="b",namespace="web"} 3',
          '{pod="b",namespace="app"} 4',
        ],
      },
    },
  ],
  ["no number", rule("x", plain), { series: [podA], answers: { [ofA]: ['{pod="a"} NaN'] } }],
  [
    "one number",
    rule("x", plain),
    { series: [podA, podB], answers: { [ofBoth]: ['{pod="a"} NaN', '{pod="b"} 1500.5'] } },
  ],
  [
    "no external number",
    external("x", "x"),
    { series: [podA], answers: { x: ['{pod="a"} 1', '{pod="b"} Infinity'] } },
  ],
  [
    "ended series",
    rule("x", plain),
    { series: [podA], answers: { [ofA]: [], 'count(x{namespace="web"})': [] } },
  ],
  [
    "a selector that matches nothing",
    rule("x", plain),
    {
      series: [podA],
      answers: {
        'sum(x{queue="q",namespace="web",pod="a"}) by (pod)': [],
        'count(x{queue="q",namespace="web"})': new Error("no"),
      },
    },
    { selector: [queue] },
  ],
  [
    "a short range",
    external("x", "rate(x[5s])"),
    {
      series: [podA],
      answers: {
        "rate(x[5s])": [],
        'count(x{namespace="web"})': [],
        "count(x)": ["{} 1"],
        "max(count_over_time(x[5000ms]))": ["{} 1"],
      },
    },
  ],
  [
    "a range without samples",
    external("x", "rate(x[2m])"),
    {
      series: [podA],
      answers: { "rate(x[2m])": [], "count(x)": ["{} 1"], "max(count_over_time(x[120000ms]))": [] },
    },
  ],
  [
    "conditions of the query",
    external("x", "rate(x[1500ms]) < 0"),
    {
      series: [podA],
      answers: {
        "rate(x[1500ms]) < 0": [],
        "count(x)": ["{} 3"],
        "max(count_over_time(x[1500ms]))": ["{} 2"],
      },
    },
  ],
  [
    "a condition without a range",
    external("x", "x < 0"),
    { series: [podA], answers: { "x < 0": [], "count(x)": ["{} 3"] } },
  ],
  [
    "a selector on another namespace",
    rule("x", plain),
    { series: [podA] },
    { selector: [{ matcher: { label: "namespace", operator: "=", value: "app" }, values: ["app"] }] },
  ],
  [
    "what cannot be a namespace",
    rule("x", plain),
    { series: ['x{namespace="Web",pod="a"}'] },
    { namespace: "Web" },
  ],
  [
    "one pod by its name",
    rule("x", plain),
    { series: [podA, podB], answers: { 'sum(x{namespace="web",pod="c"}) by (pod)': ['{pod="a"} 1'] } },
    { name: "c" },
  ],
  [
    "one pod without a number",
    rule("x", plain),
    { series: [podA], answers: { [ofA]: ['{pod="a"} NaN'] } },
    { name: "a" },
  ],
  [
    "one pod without its label",
    rule("x", "sum(x)"),
    { series: [podA], answers: { "sum(x)": ["{} 1"] } },
    { name: "a" },
  ],
  ["lists that fail", rule("x", plain), { series: [podA], listStatus: 500 }],
  [
    "one rule of several",
    `${rule("x", plain).replace("as: m", "as: n")}${rule("", plain)}${rule("x", plain)}externalRules:\n${rule("x", plain)}`,
    { series: [podA], answers: { [ofA]: ['{pod="a"} 1'] } },
  ],
  [
    "names that are no objects, among others",
    rule("x", plain),
    {
      series: [podA, podB, 'x{namespace="web",pod="}"}', 'x{namespace="app",pod="c"}'],
      answers: { [ofBoth]: [1, 2, 3, 4, 5, 6].map((n) => `{pod="a${n}"} ${n}`) },
    },
  ],
  [
    "nodes, which are in no namespace",
    rule("x", plain, "{node: {resource: node}}"),
    { series: ['x{node="n"}'], answers: { 'sum(x{node="n"}) by (node)': ['{node="n"} 1'] } },
    { namespace: undefined, resource: "nodes" },
  ],
  [
    "nodes in a namespace",
    rule("x", plain, "{node: {resource: node}}"),
    { series: ['x{node="n"}'], answers: { 'sum(x{node="n"}) by (node)': ['{node="n"} 1'] } },
    { resource: "nodes" },
  ],
  ["the metric of no rule", external("x", plain), { series: [podA] }, { metric: "other" }],
  [
    "external metrics in other letters",
    external("x", plain),
    { series: [podA], answers: { "sum(x{}) by ()": ["{} 1"] } },
    { metric: "M" },
  ],
];

test("each metric of a table", async () => {
  const lines: string[] = [];
  for (const [what, text, stored, request] of rows) {
    const { candidates, others, served } = await trace(text, stored, request);
    lines.push(`# ${what}`);
    for (const { rule: path, name, series, seriesQuery, ...one } of candidates) {
      const labels = `pods by ${one.resourceLabel}, namespaces by ${one.namespaceLabel}`;
      lines.push(`${path}, ${one.kind} ${one.metric}: ${series} of ${name}, by ${seriesQuery}; ${labels}`);
      const samples = one.samples.map(({ labels: own, value }) => `${JSON.stringify(own)} ${value}`);
      lines.push(`  query ${[one.promql, one.total, ...samples].join("; ")}`);
      if (one.why !== undefined) lines.push(`  ${one.why}; ${one.fix}`);
    }
    for (const { rule: path, why } of others) lines.push(`${path}: ${why}`);
    lines.push(`served: ${served.status} ${served.ok ? JSON.stringify(served.items) : served.message}`);
  }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("golden/trace-metric.txt");
});
