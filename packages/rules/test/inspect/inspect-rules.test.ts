// What `plimsoll rules check` says of each rule beside what is wrong with its text.
import { expect, test } from "vitest";
import { createBuiltinMapper, inspectRules, loadRules } from "../../src/index.ts";
import { maxAgeMs, memoryPrometheus, nowMs, type Stored } from "../memory-prometheus.ts";

const plain = "sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)";
const both = "overrides: {namespace: {resource: namespace}, pod: {resource: pod}}";
const rule = (seriesQuery: string, metricsQuery: string, resources = both): string =>
  `rules:\n- {seriesQuery: '${seriesQuery}', resources: {${resources}}, metricsQuery: '${metricsQuery}'}\n`;
const usage = (labels: string): string =>
  `resourceRules: {cpu: {containerQuery: 'c{<<.LabelMatchers>>} by (<<.GroupBy>>)', nodeQuery: 'n{<<.LabelMatchers>>} by (<<.GroupBy>>)', containerLabel: container, resources: {overrides: {${labels}}}}}\n`;

const podA = 'x{namespace="web",pod="a"}';
const living = 'topk(1, count by (namespace,pod) (x{namespace!="",pod!=""}))';
const ofA = 'sum(x{namespace="web",pod="a"}) by (pod)';

type Row = readonly [what: string, rules: string, stored: Stored, nodes?: readonly string[] | undefined];
const rows: readonly Row[] = [
  [
    "pods, before namespaces",
    rule("x", plain),
    { series: [podA], answers: { [living]: ['{namespace="web",pod="a"} 1'], [ofA]: ['{pod="a"} 5'] } },
  ],
  ["no query", rule("x", ""), { series: [podA] }],
  ["no namespace", rule("x", plain, "overrides: {pod: {resource: pod}}"), { series: [podA] }],
  [
    "no sample now",
    rule("x", plain),
    { series: [podA], answers: { [living]: [], 'topk(1, count by (namespace) (x{namespace!=""}))': [] } },
  ],
  [
    "a number in its place",
    rule("x", plain),
    { series: [podA], answers: { [living]: 5, 'topk(1, count by (namespace) (x{namespace!=""}))': 5 } },
  ],
  ...[`namespace="Web",pod="a"`, `namespace="web",pod="}"`].map(
    (labels): Row => [
      "invalid names",
      rule("x", plain),
      {
        series: [podA],
        answers: { [living]: [`{${labels}} 1`], 'topk(1, count by (namespace) (x{namespace!=""}))': [] },
      },
    ],
  ),
  [
    "services before jobs, and these before nodes",
    rule("x", plain, 'template: "<<.Resource>>"'),
    {
      series: ['x{namespace="web",job="j",node="n",service="s",other="o"}'],
      answers: {
        'topk(1, count by (namespace,service) (x{namespace!="",service!=""}))': [
          '{namespace="web",service="s"} 1',
        ],
        'sum(x{namespace="web",service="s"}) by (service)': ['{service="s"} 2'],
      },
    },
  ],
  [
    "jobs with an object before nodes",
    rule("x", plain, 'template: "<<.Resource>>"'),
    {
      series: ['x{namespace="web",job="j",node="n"}'],
      answers: {
        'topk(1, count by (namespace,job) (x{namespace!="",job!=""}))': [],
        'topk(1, count by (namespace) (x{namespace!=""}))': [],
        'topk(1, count by (node) (x{node!=""}))': ['{node="n"} 1'],
        'sum(x{node="n"}) by (node)': "matrix",
      },
    },
  ],
  [
    "names that the query joins",
    rule("x", 'sum(x{pod="<<.LabelValuesByName.pod>>"}) by (<<.GroupBy>>)'),
    {
      series: [podA],
      answers: { [living]: ['{namespace="web",pod="a"} 1'], 'sum(x{pod="a"}) by (pod)': [] },
    },
  ],
  [
    "an external metric with more samples than are shown",
    `externalRules:\n- {seriesQuery: x, resources: {namespaced: false}, metricsQuery: 'x{<<.LabelMatchers>>}'}\n`,
    {
      series: ["x"],
      answers: {
        "topk(1, count by () (x))": ["{} 1"],
        "x{}": ['{a="1"} 1', '{a="2"} 2', '{a="3"} 3', '{a="4"} NaN'],
      },
    },
  ],
  [
    "an external metric of a namespace",
    `externalRules:\n- {seriesQuery: x, resources: {${both}}, metricsQuery: 'x{<<.LabelMatchers>>}'}\n`,
    {
      series: [podA],
      answers: {
        'topk(1, count by (namespace) (x{namespace!=""}))': ['{namespace="web"} 1'],
        'x{namespace="web"}': 5,
      },
    },
  ],
  ["lists that fail", rule("x", plain), { listStatus: 500 }],
  [
    "a server without such lists",
    rule('{__name__=~"x|y"}', plain, 'template: "<<.Resource>>"'),
    {
      listStatus: 404,
      series: [podA, 'y{namespace="web",pod="a",node=""}', 'z{node="n"}'],
      answers: { [living]: ['{namespace="web",pod="a"} 1'], [ofA]: [] },
    },
  ],
  [
    "resources that the cluster does not have, a label too many, and odd names",
    `rules:\n- {seriesQuery: '{a!=""}', name: {matches: '^x(.*)$', as: $1}, resources: {overrides: {pod: {resource: pod}, po: {resource: pods}, w: {group: g.io, resource: widget}}}, metricsQuery: '${plain}'}\n`,
    { series: ['x{a="a",pod="a"}', 'y{a="a",pod="a"}', 'x\'y{a="a",po="a"}', 'x1{a="a",po="a",w="w"}'] },
  ],
  ["usage without labels", usage("namespace: {resource: namespace}"), {}],
  [
    "usage",
    usage("pod: {resource: pod}, node: {resource: node}"),
    {
      answers: {
        'c{pod!=""} by (pod,container)': ['{pod="a",container="c"} 1', '{pod="b",container="c"} 2'],
        'n{node!=""} by (node)': ['{node="10.0.0.1:9100"} 1', '{node="10.0.0.2:9100"} 1'],
      },
    },
  ],
  ...([undefined, ["n2"], ["n1"]] as const).map(
    (nodes): Row => [
      "nodes",
      usage("node: {resource: node}"),
      { answers: { 'n{node!=""} by (node)': ['{node="n1"} 1'] } },
      nodes,
    ],
  ),
];

test("each rule of a table", async () => {
  const lines: string[] = [];
  for (const [what, text, stored, nodes] of rows) {
    const loaded = loadRules(text, "rules.yaml");
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
    const { rules } = loaded;
    const mapper = createBuiltinMapper(rules);
    const { signal } = new AbortController();
    const prometheus = memoryPrometheus(stored);
    lines.push(`# ${what}${mapper.assumed.length > 0 ? `; assumed: ${mapper.assumed.join()}` : ""}`);
    for (const one of await inspectRules({ rules, mapper, prometheus, nowMs, maxAgeMs, signal, nodes })) {
      const metrics = one.metrics.map(
        ({ metric, resource, namespaced, series }) =>
          `${namespaced ? "namespaced " : ""}${resource}/${metric} of ${series}`,
      );
      lines.push([one.path, ...metrics].join("; "));
      for (const warning of [...one.warnings, ...(one.problem === undefined ? [] : [one.problem])])
        lines.push(`  ${warning}`);
      if (one.sample === undefined) continue;
      const { promql, total, problem } = one.sample;
      const samples = one.sample.samples.map(({ labels, value }) => `${JSON.stringify(labels)} ${value}`);
      lines.push(
        `  query ${[promql, total, ...samples, ...(problem === undefined ? [] : [problem])].join("; ")}`,
      );
    }
  }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("golden/inspect-rules.txt");
});
