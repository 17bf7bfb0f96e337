import { promqlProblem, selectorProblem } from "@plimsoll/prometheus/syntax";
import { describe, expect, test } from "vitest";
import { loadRules } from "../../src/compile/load.ts";
import { formatProblem } from "../../src/document/problem.ts";

/** What is wrong with a file, each problem as one line. */
function problems(text: string): readonly string[] {
  const loaded = loadRules(text, "rules.yaml");
  return loaded.ok ? [] : loaded.problems.map((problem) => formatProblem("rules.yaml", problem));
}

function warnings(text: string): readonly string[] {
  const loaded = loadRules(text, "rules.yaml");
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.warnings.map((problem) => `${problem.line}: ${problem.path}: ${problem.message}`);
}

const complete = `
rules:
- seriesQuery: '{__name__=~"^container_.*",container!="POD",namespace!="",pod!=""}'
  seriesFilters:
  - isNot: _total$
  - is: ^container_
  resources:
    overrides:
      namespace: {resource: namespace}
      pod: {resource: pod}
  name:
    matches: ^container_(.*)$
    as: ""
  metricsQuery: sum(<<.Series>>{<<.LabelMatchers>>,container!="POD"}) by (<<.GroupBy>>)
externalRules:
- seriesQuery: queue_depth
  resources: {namespaced: false}
  metricsQuery: max(<<.Series>>{<<.LabelMatchers>>})
resourceRules:
  cpu: &rule
    containerQuery: sum(rate(cpu{<<.LabelMatchers>>}[3m])) by (<<.GroupBy>>)
    nodeQuery: sum(rate(cpu{<<.LabelMatchers>>,id="/"}[3m])) by (<<.GroupBy>>)
    resources:
      overrides:
        node: {resource: node}
        namespace: {resource: namespace}
        pod: {resource: pod}
    containerLabel: container
  memory: *rule
  window: 3m
`;

test("a complete file compiles without a word", () => {
  const loaded = loadRules(complete, "rules.yaml");
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  expect(loaded.warnings).toEqual([]);
  const [rule] = loaded.rules.custom;
  expect(rule?.accepts("container_memory")).toBe(true);
  expect(rule?.accepts("container_cpu_total")).toBe(false);
  expect(rule?.accepts("my_container_x")).toBe(false);
  expect(rule?.metricName("container_memory")).toBe("memory");
  expect(rule?.namespaced).toBe(true);
  expect(loaded.rules.external[0]?.namespaced).toBe(false);
  expect(loaded.rules.resource).toMatchObject({ windowMs: 180_000, memory: { containerLabel: "container" } });
});

test("every problem of a file at once, each with its place", () => {
  const text = `rules:
- seriesQuery: up
  seriesQuery: down
  serieFilters: []
  seriesFilters: [{is: "(?=x)"}, {is: a, isNot: b}, {}]
  name: {matches: "(a)(b)"}
  resources: {template: "kube_<<.Foo>>", namespaced: "false"}
  metricsQuery: sum(<<.Series>>{<<.LabelMatchers>}) by (<<.GroupBy>>)
- seriesQuery: [1]
  resources: {template: "fixed", overrides: {"a-b": {resource: pod}, pod: {group: x}}}
  metricsQuery: |
    sum(
      <<if>>
    )
externalRules: {}
resourceRules: {cpu: 5, window: 300}
`;
  expect(problems(text)).toEqual([
    'rules.yaml:3:3: rules[0].seriesQuery: the key "seriesQuery" is repeated',
    'rules.yaml:4:3: rules[0].serieFilters: unknown field "serieFilters": did you mean seriesFilters?',
    "rules.yaml:5:24: rules[0].seriesFilters[0].is: not a regular expression of RE2: invalid or unsupported Perl syntax: `(?=`",
    "rules.yaml:5:34: rules[0].seriesFilters[1]: the filter has both is and isNot",
    "rules.yaml:5:53: rules[0].seriesFilters[2]: the filter has neither is nor isNot",
    "rules.yaml:6:19: rules[0].name.matches: matches has 2 groups, so set name.as to name the metric",
    "rules.yaml:7:33: rules[0].resources.template: no field .Foo; use one of .Group, .Resource",
    'rules.yaml:7:54: rules[0].resources.namespaced: expected true or false, got "false"',
    'rules.yaml:8:49: rules[0].metricsQuery: unexpected ">" (line 1, column 33)',
    "rules.yaml:9:16: rules[1].seriesQuery: expected text, got a list",
    "rules.yaml:10:25: rules[1].resources.template: the template must contain .Resource",
    "rules.yaml:10:75: rules[1].resources.overrides.pod: the override has no resource",
    "rules.yaml:11:17: rules[1].metricsQuery: missing value (line 2, column 7)",
    "rules.yaml:15:16: externalRules: expected a list, got a mapping",
    'rules.yaml:16:22: resourceRules.cpu: expected a mapping, got "5"',
    'rules.yaml:16:33: resourceRules.window: not a Prometheus duration: "300"',
  ]);
});

test.each([
  ["rules: [\n", /flow/i],
  ["- a\n", /expected a mapping, got a list/],
  ['rules:\n- metricsQuery: "up{a!="b"}"\n', /rules\.yaml:2/],
  ["rules: *nowhere\n", /nowhere/],
  ["text", /expected a mapping/],
])("no rules file: %j", (text, message) => {
  expect(problems(text).join("\n")).toMatch(message);
});

test.each(["", "# nothing\n", "rules:\nexternalRules: null\nresourceRules: ~\n"])(
  "nothing to serve: %j",
  (text) => {
    expect(loadRules(text, "rules.yaml")).toMatchObject({
      ok: true,
      warnings: [
        { path: "", line: 1, column: 1, message: expect.stringContaining("no rules, so no metrics") },
      ],
      rules: { custom: [], external: [], resource: undefined },
    });
  },
);

test("resource rules are on as soon as they are there", () => {
  expect(loadRules("resourceRules: {}\n", "x")).toMatchObject({
    ok: true,
    rules: { resource: { windowMs: 0 } },
  });
});

test("numbers and booleans are text where text is wanted, merges and aliases are followed", () => {
  const loaded = loadRules(
    "rules:\n- &base {seriesQuery: yes, metricsQuery: 5, resources: {template: <<.Resource>>}}\n- {<<: *base, seriesQuery: 7}\n",
    "x",
  );
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  expect(loaded.rules.custom.map(({ seriesQuery }) => seriesQuery)).toEqual(["yes", "7"]);
  expect(loaded.rules.custom[1]?.metricsQuery?.text).toBe("5");
});

test("merges are read as prometheus-adapter reads them: later keys win, and mappings add to those of the merge", () => {
  const loaded = loadRules(
    `rules:
- &a
  seriesQuery: a
  name: {matches: ^(.*)_total$, as: $1}
  resources: {template: <<.Resource>>, overrides: {ns: {group: "", resource: namespace}}}
- &b
  <<: *a
  name: {as: b}
  resources: {template: null, overrides: {po: {resource: pod}}}
- {seriesQuery: c, <<: *b}
- {<<: [*b, *a], name: null}
`,
    "x",
  );
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const { custom } = loaded.rules;
  expect(custom.map(({ seriesQuery }) => seriesQuery)).toEqual(["a", "a", "a", "a"]);
  expect(custom.map(({ metricName }) => ["x_total", "y"].map(metricName))).toEqual([
    ["x", undefined],
    ["b", undefined],
    ["b", undefined],
    ["x_total", "y"],
  ]);
  expect(
    custom.map(({ resources }) => [resources.overrides.map(({ label }) => label), resources.template?.text]),
  ).toEqual([
    [["ns"], "<<.Resource>>"],
    [["ns", "po"], undefined],
    [["ns", "po"], undefined],
    [["ns", "po"], undefined],
  ]);
});

test("what would silently not do what it seems to", () => {
  const text = `rules:
- metricsQuery: 'up{<<.LabelMatchers>>}'
- seriesQuery: up
  resources: {overrides: {pod: {resource: pod}, pod_name: {resource: pod}}, namespaced: false}
  name: {matches: "^(.*)_total$", as: "$1_per_second"}
  metricsQuery: 'sum(up) by (<<.LabelMatchersByName>>)'
externalRules:
- seriesQuery: up
resourceRules: {cpu: {containerQuery: 'x{<<.LabelMatchers>>}', nodeQuery: 'y{<<.LabelMatchers>>}'}, memory: {containerLabel: c}}
---
second: document
`;
  expect(warnings(text)).toEqual([
    "2: rules[0]: seriesQuery is missing: the rule finds nothing; add a selector, such as http_requests_total",
    "2: rules[0]: resources is missing: the rule's series belong to no object and are not served; add overrides, such as namespace: {resource: namespace}",
    "3: rules[1]: no label is mapped to namespaces: requests within a namespace fail; add the override namespace: {resource: namespace}",
    "4: rules[1].resources.overrides.pod_name: the label pod maps to the same resource, and only pod is used in queries: remove one of them",
    "4: rules[1].resources.namespaced: namespaced: false has no effect on custom metrics: remove it",
    "5: rules[1].name: does not match up, which seriesQuery selects: the rule finds nothing; use a pattern that matches it, or leave it out",
    '5: rules[1].name.as: matches has no group "1_per_second", so it is replaced by nothing; ${1}_per_second was probably meant',
    "6: rules[1].metricsQuery: the query uses neither .LabelMatchers nor .LabelValuesByName: every namespace gets the same series; use <<.Series>>{<<.LabelMatchers>>}",
    "6: rules[1].metricsQuery: no field .LabelMatchersByName; use one of .Series, .LabelMatchers, .LabelValuesByName, .GroupBy, .GroupBySlice; every request to it fails",
    "8: externalRules[0]: no label is mapped to namespaces, but the rule is namespaced: every request for it fails; add the override namespace: {resource: namespace}, or set namespaced: false",
    "8: externalRules[0].metricsQuery: the query is missing: its metrics are listed, but every request for them fails; add one, such as sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)",
    "9: resourceRules.window: window is missing: clients get 0 s; add the range of the queries, such as 3m",
    "9: resourceRules.cpu.containerLabel: containerLabel is missing: pods get one value, and their containers none; add the label that holds the container, such as container",
    "9: resourceRules.memory.containerQuery: the query is missing: its metrics are listed, but every request for them fails; add one, such as sum(container_memory_working_set_bytes{<<.LabelMatchers>>}) by (<<.GroupBy>>)",
    "9: resourceRules.memory.nodeQuery: the query is missing: its metrics are listed, but every request for them fails; add one, such as sum(container_memory_working_set_bytes{<<.LabelMatchers>>}) by (<<.GroupBy>>)",
    "11: : only the file's first document is read",
  ]);
});

test("a hostile file is read to its end", () => {
  const aliases = Array.from(
    { length: 200 },
    (_, at) => `- &a${at} {<<: *a${Math.max(0, at - 1)}, seriesQuery: x}`,
  );
  expect(loadRules(`rules:\n${aliases.join("\n")}\n`, "x").ok).toBeDefined();
  expect(problems("rules: &r [*r]\n").join()).toMatch(/expected a mapping|anchor/);
  expect(problems("__proto__: {a: b}\nconstructor: 1\n")).toHaveLength(2);
});

const rule = (kind: "rules" | "externalRules", of: string) => `${kind}:\n- {${of}}\n`;
const ofPods = "resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}";
const rated = "metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>}[1m])) by (<<.GroupBy>>)'";
const checked = (text: string) => {
  const loaded = loadRules(text, "rules.yaml", { promqlProblem, selectorProblem });
  return loaded.warnings.map(({ path, message }) => `${path}: ${message}`);
};

describe("the traps that loading does not show", () => {
  test.each([
    ["reporter='destination'", 'reporter="destination"'],
    ['container!="POD"', 'container!="POD"'],
    ['job=~"a|b"', 'job=~"a|b"'],
  ])("a condition %s of seriesQuery that the query does not repeat", (matcher, shown) => {
    const series = JSON.stringify(`requests_total{${matcher},namespace!="",pod!=""}`);
    expect(checked(rule("rules", `seriesQuery: ${series}, ${ofPods}, ${rated}`))).toEqual([
      `rules[0].metricsQuery: seriesQuery has ${shown} and metricsQuery does not, so series that seriesQuery excludes also count: use <<.Series>>{${shown},<<.LabelMatchers>>}`,
    ]);
  });

  test("a condition whose label the query only groups by", () => {
    const of = "seriesQuery: 'depth{queue=~\"mine_.*\"}', resources: {namespaced: false}";
    const query = "metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (queue)'";
    expect(checked(rule("externalRules", `${of}, ${query}`))).toEqual([
      expect.stringContaining('seriesQuery has queue=~"mine_.*" and metricsQuery does not'),
    ]);
  });

  test.each([
    [
      "is repeated",
      `'x{reporter="a",namespace!=""}'`,
      "'sum(<<.Series>>{reporter=\"a\",<<.LabelMatchers>>}) by (<<.GroupBy>>)'",
    ],
    [
      "is repeated beside its label in by, with blanks and quotes",
      `'x{reporter="a",namespace!=""}'`,
      '\'sum(<<.Series>>{"reporter" =~ "a",<<.LabelMatchers>>}) by (reporter, pod)\'',
    ],
    ["only asks whether a label is there", `'x{job!="",zone=~".+",namespace!="",pod!=""}'`, undefined],
    ["is about a label of a resource", `'x{namespace=~"team-.*",pod!=""}'`, undefined],
    ["is about the name", `'{__name__=~"^http_.*",namespace!="",pod!=""}'`, undefined],
    [
      "belongs to other series than the query's",
      `'known{job="a",namespace!=""}'`,
      "'sum(other{<<.LabelMatchers>>}) by (<<.GroupBy>>)'",
    ],
  ])("no warning where the condition %s", (_what, series, query) => {
    const metricsQuery = query === undefined ? rated : `metricsQuery: ${query}`;
    expect(checked(rule("rules", `seriesQuery: ${series}, ${ofPods}, ${metricsQuery}`))).toEqual([]);
  });

  test("a query without matchers, and one that selects by them", () => {
    const external = (query: string) =>
      checked(
        rule("externalRules", `seriesQuery: lag, resources: {namespaced: false}, metricsQuery: '${query}'`),
      );
    expect(external("avg by (topic) (<<.Series>>)")).toEqual([
      expect.stringContaining(
        "the query has no <<.LabelMatchers>>, so the selector of an autoscaler's metric has no effect",
      ),
    ]);
    expect(external("sum(<<.Series>>)")).toEqual([]);
    expect(external("avg by (topic) (<<.Series>>{<<.LabelMatchers>>})")).toEqual([]);
  });

  test("a comma before matchers that may be none", () => {
    const external = (query: string) =>
      checked(
        rule("externalRules", `seriesQuery: depth, resources: {namespaced: false}, metricsQuery: '${query}'`),
      );
    expect(external('sum(<<.Series>>{<<.LabelMatchers>>,queue="a"})')).toEqual([
      expect.stringContaining('put your own matchers first: {queue="a",<<.LabelMatchers>>}'),
    ]);
    expect(external('sum(<<.Series>>{queue="a",<<.LabelMatchers>>})')).toEqual([]);
  });

  test.each([`<<index .LabelValuesByName "queue">>_length`, "{{.Series}}_length"])(
    "a name that is written as a template: %s",
    (as) => {
      expect(checked(rule("rules", `seriesQuery: x, ${ofPods}, name: {as: '${as}'}, ${rated}`))).toEqual([
        expect.stringMatching(/^rules\[0\]\.name\.as: name\.as is not a template/),
      ]);
    },
  );

  test.each([
    ["name: {matches: ready_pods, as: ready}", "name"],
    ["seriesFilters: [{is: '^ready'}]", "seriesFilters"],
    ["seriesFilters: [{isNot: 'x'}], name: {matches: '^(x)'}", "name"],
  ])("a filter that leaves out the only series: %s", (filter, at) => {
    expect(checked(rule("rules", `seriesQuery: 'x{a!=""}', ${ofPods}, ${filter}, ${rated}`))).toEqual([
      `rules[0].${at}: does not match x, which seriesQuery selects: the rule finds nothing; use a pattern that matches it, or leave it out`,
    ]);
    const several = `seriesQuery: '{__name__=~"x.*"}', ${ofPods}, ${filter}, ${rated}`;
    expect(checked(rule("rules", several))).toEqual([]);
  });

  test("a rate without a range", () => {
    const query = "metricsQuery: 'sum(rate(<<.Series>>{<<.LabelMatchers>>})) by (<<.GroupBy>>)'";
    expect(checked(rule("rules", `seriesQuery: x, ${ofPods}, ${query}`))).toEqual([
      expect.stringContaining("the query is not PromQL: rate needs a range, such as rate(x[5m])"),
    ]);
  });
});
