import { promqlProblem } from "@plimsoll/prometheus/syntax";
import { expect, test } from "vitest";
import { compileQueryTemplate, isFilterable, selectorFacts } from "../src/index.ts";

test("a label that is missing, such as containerLabel, stays nothing", () => {
  for (const label of ["pod", "k8s.pod"])
    expect(render("sum by (<<.GroupBy>>) (up)", "up", [label, ""])).toMatch(
      /^sum by \("?[\w.]+"?,\) \(up\)$/,
    );
});

const render = (
  template: string,
  series: string,
  groupBy: readonly string[] = ["k8s.pod.name", "code"],
): string =>
  compileQueryTemplate(template).render({
    series,
    labelMatchers: '"k8s.pod.name"="a"',
    labelValuesByName: new Map([["k8s.pod.name", "a"]]),
    groupBy,
  });

test.each([
  [
    "sum(rate(<<.Series>>{<<.LabelMatchers>>}[1m])) by (<<.GroupBy>>)",
    'sum(rate({"a.b-c/d","k8s.pod.name"="a"}[1m])) by ("k8s.pod.name",code)',
  ],
  ["<<.Series>> {}", '{"a.b-c/d"}'],
  ["<<.Series>>", '{"a.b-c/d"}'],
  ["rate(<<.Series>>[5m])", 'rate({"a.b-c/d"}[5m])'],
  ["<<.Series>>_total{x='1'}", `{"a.b-c/d_total",x='1'}`],
  ['{__name__="<<.Series>>",<<.LabelMatchers>>}', '{__name__="a.b-c/d","k8s.pod.name"="a"}'],
  ['{"<<.Series>>",<<.LabelMatchers>>}', '{"a.b-c/d","k8s.pod.name"="a"}'],
  ['{__name__=~"<<.Series>>|x"}', '{__name__=~"a\\\\.b-c/d|x"}'],
  ["{__name__=~`<<.Series>>`}", "{__name__=~`a\\.b-c/d`}"],
  ["sum by (<<range .GroupBySlice>><<.>>,<<end>>x) (up)", 'sum by ("k8s.pod.name",code,x) (up)'],
  [
    'label_replace(up,"x","$1","<<index .GroupBySlice 0>>","(.*)")',
    'label_replace(up,"x","$1","k8s.pod.name","(.*)")',
  ],
  ['up{pod="<<index .LabelValuesByName "k8s.pod.name">>"}', 'up{pod="a"}'],
  ['<<if eq .Series "a.b-c/d">>rate(<<.Series>>[1m])<<else>>up<<end>>', 'rate({"a.b-c/d"}[1m])'],
  ['up<<if ne (printf "%s_x" .Series) "a.b-c/d_x">>{x="1"}<<end>>', "up"],
  ['up{n="<<len .Series>>"}', 'up{n="7"}'],
  [
    'up{<<range .GroupBySlice>><<.>>="<<index $.LabelValuesByName .>>",<<end>>}',
    'up{"k8s.pod.name"="a",code="",}',
  ],
])("%s", (template, expected) => {
  const promql = render(template, "a.b-c/d");
  expect(promql).toBe(expected);
  expect(promqlProblem(promql)).toBeUndefined();
});

test("a name that needs no quotes is written as it is, also beside a label that does", () => {
  expect(render("<<.Series>>{} by (<<.GroupBy>>)", "up", ["pod"])).toBe("up{} by (pod)");
  expect(render("<<.Series>>{x='1'} by (<<.GroupBy>>)", "up", ["k8s.pod"])).toBe(`up{x='1'} by ("k8s.pod")`);
});

test.each([
  ['{"a.b","k8s.pod.name"!="",x=""}', "a.b", ["__name__", "k8s.pod.name"]],
  ['{__name__="a.b",namespace!=""}', "a.b", ["__name__", "namespace"]],
  ['{namespace="n", "a.b"}', "a.b", ["namespace", "__name__"]],
  ['{__name__="a\\x2eb",x="\\n"}', undefined, ["__name__", "x"]],
  ['{"k8s\\x2epod"!=""}', undefined, []],
])("what %s says of its series", (selector, metricName, labels) => {
  const facts = selectorFacts(selector);
  expect([facts.metricName, [...facts.labels]]).toEqual([metricName, labels]);
});

test.each([
  ['sum by ("k8s.pod.name") (rate({"a.b",MARK="1"}[1m]))', true],
  ['sum by ("k8s.pod") (rate({"a.b",MARK="1"}[1m]))', false],
  ['sum by ("k8s\\x2epod.name") (rate({"a.b",MARK="1"}[1m]))', false],
])("whether %s can be batched: %s", (promql, expected) => {
  expect(isFilterable(promql, "k8s.pod.name", "MARK")).toBe(expected);
});
