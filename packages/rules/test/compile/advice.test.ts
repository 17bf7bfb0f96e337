// What each warning says to do is done here, and makes it go.
import { promqlProblem, selectorProblem } from "@plimsoll/prometheus/syntax";
import { expect, test } from "vitest";
import { loadRules } from "../../src/compile/load.ts";

const namespace = "namespace: {resource: namespace}";
const resources = `resources: {overrides: {${namespace}, pod: {resource: pod}}}`;
const usual = "sum(<<.Series>>{<<.LabelMatchers>>}) by (<<.GroupBy>>)";
const custom = (rest: string) => `rules: [{seriesQuery: hits, ${rest}}]`;
const external = (rest: string) => `externalRules: [{seriesQuery: hits, ${rest}}]`;
const resource = (rest: string, window = ", window: 3m") =>
  `resourceRules: {cpu: {${rest}}, memory: {${rest}}${window}}`;
const queries = `containerQuery: '${usual}', nodeQuery: '${usual}', ${resources}`;

/** The warned file, a part of the advice, and what the advice makes of the file. */
const rows: readonly (readonly [string, string, string])[] = [
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
  const loaded = loadRules(text, "rules.yaml", { promqlProblem, selectorProblem });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.warnings.map(({ message }) => message);
}

test.each(rows)("%s: %s", (warned, advice, followed) => {
  expect(warnings(warned)).toContainEqual(expect.stringContaining(advice));
  expect(warnings(followed)).toEqual([]);
});
