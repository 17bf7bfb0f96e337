// What each warning says to do is done here, and makes it go.
import { ruleQueryProblem, selectorProblem } from "@plimsoll/prometheus/syntax";
import { expect, test } from "vitest";
import { loadRules, withoutProblems } from "../../src/compile/load.ts";

const namespace = "namespace: {resource: namespace}";
const resources = `resources: {overrides: {${namespace}, pod: {resource: pod}}}`;
const usual = "sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)";
const custom = (rest: string) => `rules: [{seriesQuery: hits, ${rest}}]`;
const external = (rest: string) => `externalRules: [{seriesQuery: hits, ${rest}}]`;
const resource = (rest: string, window = ", window: 3m") =>
  `resourceRules: {cpu: {${rest}}, memory: {${rest}}${window}}`;
const queries = `containerQuery: '${usual}', nodeQuery: '${usual}', ${resources}`;

/** The warned file, a part of the advice, and what the advice makes of the file. */
type Row = readonly [string, string, string];
const rows: readonly Row[] = [
  ["{}", "add rules", custom(`${resources}, metricsQuery: '${usual}'`)],
  [
    `rules: [{${resources}, metricsQuery: '${usual}'}]`,
    "add a selector, such as http_requests_total",
    `rules: [{seriesQuery: http_requests_total, ${resources}, metricsQuery: '${usual}'}]`,
  ],
  [
    `rules: [{seriesQuery: 'hits{', ${resources}, metricsQuery: '${usual}'}]`,
    "seriesQuery selects no series",
    custom(`${resources}, metricsQuery: '${usual}'`),
  ],
  [custom(resources), `such as ${usual}`, custom(`${resources}, metricsQuery: '${usual}'`)],
  [
    custom(`${resources}, metricsQuery: '${usual.replace("LabelMatchers", "Matchers")}'`),
    "use one of .Series, .LabelMatchers",
    custom(`${resources}, metricsQuery: '${usual}'`),
  ],
  [
    custom(`${resources}, metricsQuery: '${usual.replace("(", "((")}'`),
    "the query is not PromQL",
    custom(`${resources}, metricsQuery: '${usual}'`),
  ],
  [
    custom(`${resources}, metricsQuery: 'sum(<<.Series>>) by (<<.GroupBy>>)'`),
    "use <<.Series>>{<<.LabelMatchers>>}",
    custom(`${resources}, metricsQuery: '${usual}'`),
  ],
  [
    custom(`metricsQuery: '${usual}'`),
    `add overrides, such as ${namespace}`,
    custom(`resources: {overrides: {${namespace}}}, metricsQuery: '${usual}'`),
  ],
  [
    custom(`resources: {overrides: {pod: {resource: pod}}}, metricsQuery: '${usual}'`),
    `add the override ${namespace}`,
    custom(`${resources}, metricsQuery: '${usual}'`),
  ],
  [
    custom(`resources: {namespaced: false, template: <<.Resource>>}, metricsQuery: '${usual}'`),
    "namespaced: false has no effect on custom metrics: remove it",
    custom(`resources: {template: <<.Resource>>}, metricsQuery: '${usual}'`),
  ],
  [
    custom(`resources: {overrides: {${namespace}, ns: {resource: namespace}}}, metricsQuery: '${usual}'`),
    "remove one of them",
    custom(`resources: {overrides: {${namespace}}}, metricsQuery: '${usual}'`),
  ],
  [
    external(`resources: {overrides: {pod: {resource: pod}}}, metricsQuery: '${usual}'`),
    `add the override ${namespace}`,
    external(`${resources}, metricsQuery: '${usual}'`),
  ],
  [
    external(`metricsQuery: '${usual}'`),
    "set namespaced: false",
    external(`resources: {namespaced: false}, metricsQuery: '${usual}'`),
  ],
  [
    external(`resources: {namespaced: false}, metricsQuery: 'sum(<<.Series>>) by (queue)'`),
    "use <<.Series>>{<<.LabelMatchers>>}",
    external(
      `resources: {namespaced: false}, metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (queue)'`,
    ),
  ],
  [
    external(`resources: {namespaced: false}, metricsQuery: 'sum(hits{<<.LabelMatchers>>,queue="a"})'`),
    'put your own matchers first: {queue="a",<<.LabelMatchers>>}',
    external(`resources: {namespaced: false}, metricsQuery: 'sum(hits{queue="a",<<.LabelMatchers>>})'`),
  ],
  [
    `rules: [{seriesQuery: 'hits{code="500"}', ${resources}, metricsQuery: '${usual}'}]`,
    'use <<.Series>>{code="500",<<.LabelMatchers>>}',
    `rules: [{seriesQuery: 'hits{code="500"}', ${resources}, metricsQuery: 'sum(<<.Series>>{code="500",<<.LabelMatchers>>}) by (<<.GroupBy>>)'}]`,
  ],
  ...["by (code)", "# code"].map(
    (last): Row => [
      `rules: [{seriesQuery: 'hits{code="500",pod!=""}', ${resources}, metricsQuery: "sum(rate(<<.Series>>{<<.LabelMatchers>>}[1m])) ${last}"}]`,
      'use <<.Series>>{code="500",<<.LabelMatchers>>}',
      `rules: [{seriesQuery: 'hits{code="500",pod!=""}', ${resources}, metricsQuery: 'sum(rate(<<.Series>>{code="500",<<.LabelMatchers>>}[1m])) ${last}'}]`,
    ],
  ),
  [
    `rules: [{seriesQuery: '{"hits","http.code"="500"}', ${resources}, metricsQuery: '${usual}'}]`,
    'use <<.Series>>{"http.code"="500",<<.LabelMatchers>>}',
    `rules: [{seriesQuery: '{"hits","http.code"="500"}', ${resources}, metricsQuery: 'sum(<<.Series>>{"http.code"="500",<<.LabelMatchers>>}) by (<<.GroupBy>>)'}]`,
  ],
  ...["by (<<.GroupBy>>,queue)", "by (<<index .GroupBySlice 0>>)"].map(
    (last): Row => [
      external(`${resources}, metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) ${last}'`),
      "write the labels, such as by (queue)",
      external(`${resources}, metricsQuery: 'sum(<<.Series>>{<<.LabelMatchers>>}) by (queue)'`),
    ],
  ),
  ...["<<.Series>>", "topk(3, hits)", "sum without (pod) (hits)"].map(
    (query): Row => [
      external(`resources: {namespaced: false}, metricsQuery: '${query}'`),
      "use <<.Series>>{<<.LabelMatchers>>}",
      external(`resources: {namespaced: false}, metricsQuery: '<<.Series>>{<<.LabelMatchers>>}'`),
    ],
  ),
  [
    custom(`${resources}, metricsQuery: '<<.Series>>{<<.LabelMatchers>>}[5m]'`),
    "use a function such as rate(x[5m])",
    custom(`${resources}, metricsQuery: 'rate(<<.Series>>{<<.LabelMatchers>>}[5m])'`),
  ],
  [
    `rules: [{seriesQuery: '{__name__=~".*"}', ${resources}, metricsQuery: '${usual}'}]`,
    'such as namespace!=""',
    `rules: [{seriesQuery: '{__name__=~".*",namespace!=""}', ${resources}, metricsQuery: '${usual}'}]`,
  ],
  ...["\\1_rate", "shop/$1", "$1 rate"].map(
    (as): Row => [
      custom(`name: {matches: (.*), as: '${as}'}, ${resources}, metricsQuery: '${usual}'`),
      "use letters, digits",
      custom(`name: {matches: (.*), as: '\${1}_rate'}, ${resources}, metricsQuery: '${usual}'`),
    ],
  ),
  [
    custom(`name: {matches: ^miss}, ${resources}, metricsQuery: '${usual}'`),
    "leave it out",
    custom(`${resources}, metricsQuery: '${usual}'`),
  ],
  [
    custom(`seriesFilters: [{is: ^miss}], ${resources}, metricsQuery: '${usual}'`),
    "use a pattern that matches it",
    custom(`seriesFilters: [{is: ^hit}], ${resources}, metricsQuery: '${usual}'`),
  ],
  [
    custom(`name: {matches: (.*), as: <<.Series>>}, ${resources}, metricsQuery: '${usual}'`),
    "use the groups of name.matches, such as $1",
    custom(`name: {matches: (.*), as: $1}, ${resources}, metricsQuery: '${usual}'`),
  ],
  [
    custom(`name: {matches: (.*), as: $1_total}, ${resources}, metricsQuery: '${usual}'`),
    "${1}_total was probably meant",
    custom(`name: {matches: (.*), as: '\${1}_total'}, ${resources}, metricsQuery: '${usual}'`),
  ],
  [resource(queries), "such as container", resource(`${queries}, containerLabel: container`)],
  [
    resource("containerLabel: container"),
    "such as sum(container_memory_working_set_bytes{<<.LabelMatchers>>}) by (<<.GroupBy>>)",
    resource(`${queries}, containerLabel: container`),
  ],
  [
    resource(`${queries}, containerLabel: container`, ""),
    "such as 3m",
    resource(`${queries}, containerLabel: container`),
  ],
];

function warnings(text: string): readonly string[] {
  const loaded = loadRules(text, "rules.yaml", { promqlProblem: ruleQueryProblem, selectorProblem });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.warnings.map(({ message }) => message);
}

test.each(rows)("%s: %s", (warned, advice, followed) => {
  expect(warnings(warned)).toContainEqual(expect.stringContaining(advice));
  expect(warnings(followed)).toEqual([]);
});

test.each([
  ["rules[1].seriesQuery", ["rules[0]", "rules[10]", "externalRules[0]", "resourceRules"]],
  ["rules[0]", ["rules[1]", "rules[10]", "externalRules[0]", "resourceRules"]],
  ["resourceRules.window", ["rules[0]", "rules[1]", "rules[10]", "externalRules[0]"]],
  ["externalRules[0].source", ["rules[0]", "rules[1]", "rules[10]", "resourceRules"]],
  ["", undefined],
  ["foo", undefined],
])("a problem of %j leaves the rules %j", (path, expected) => {
  const query = `metricsQuery: '${usual}', source: s`;
  const file = `rules: [${Array(11).fill(`{${query}}`).join()}]\nexternalRules: [{${query}}]\nresourceRules: {source: s}\n`;
  const loaded = loadRules(file, "rules.yaml");
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const rest = withoutProblems(loaded.rules, [{ path, line: 1, column: 1, message: "" }]);
  const paths = [...(rest?.custom ?? []), ...(rest?.external ?? [])].map((rule) => rule.path);
  const all = [...paths, ...(rest?.resource === undefined ? [] : ["resourceRules"])];
  expect(rest && all.filter((one) => !/^rules\[[2-9]\]$/.test(one))).toEqual(expected);
  expect(rest?.sourceUses.map((use) => use.path)).toEqual(rest && all.map((one) => `${one}.source`));
});

test("nothing is left of one rule with a problem", () => {
  const loaded = loadRules("rules: [{metricsQuery: '<<'}]", "rules.yaml");
  expect(loaded).toMatchObject({ ok: false, rest: undefined });
});
