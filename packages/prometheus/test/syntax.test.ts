import { expect, test } from "vitest";
import {
  promqlProblem,
  ruleQueryProblem,
  selectorProblem,
  type ValueType,
  valueTypeOf,
} from "../src/syntax.ts";

test.each([
  "up",
  '{__name__=~"^a_.*",b!=""}',
  "sum(rate(a[5m])) by (pod) / on(pod) group_left() b > bool 1",
  "quantile_over_time(0.9, a[1h:5m] offset -2m)",
  "a @ end() # comment",
  "histogram_quantile(0.99, sum by (le) (rate(b_bucket[1m])))",
  "label_replace(a, 'x', '$1', 'y', '(.*)')",
])("%s is PromQL", (text) => {
  expect(promqlProblem(text)).toBeUndefined();
});

test.each([
  ["", "it is empty"],
  ["sum(a", "it ends too early"],
  ["sum(a) by (", "it ends too early"],
  ["a b", 'syntax error at "b"'],
  ["rate(a[5x])", expect.stringContaining("syntax error at")],
])("%j is none: %s", (text, problem) => {
  expect(promqlProblem(text)).toEqual(problem);
});

test("a selector is one selector of an instant", () => {
  expect(selectorProblem('up{a="b"}')).toBeUndefined();
  expect(selectorProblem('{__name__="up"}')).toBeUndefined();
  for (const text of ["sum(up)", "up[5m]", "up + up", "1"])
    expect(selectorProblem(text)).toContain("not a selector");
});

test("a rule's query gives values", () => {
  expect(ruleQueryProblem("a[5m")).toBe("it ends too early");
  expect(ruleQueryProblem("rate(a[5m])")).toBeUndefined();
  for (const text of ["a[5m]", "rate(a[5m])[1h:5m]"])
    expect(ruleQueryProblem(text)).toContain("it gives ranges");
});

test("a selector says which series it wants, or Prometheus refuses it", () => {
  for (const text of ['{a="",b=""}', '{__name__=~".*"}', '{a!="b"}', '{a!~"b.+",c=~"|d"}'])
    expect(selectorProblem(text)).toContain("it needs a matcher");
  for (const text of [
    '{a!=""}',
    '{a=~".+"}',
    '{__name__=~".*",a!~"^$"}',
    'up{a=""}',
    '{a=~"(?i)B"}',
    "{'up',a=''}",
  ])
    expect(selectorProblem(text)).toBeUndefined();
});

test.each<[ValueType, readonly string[]]>([
  ["scalar", ["1", "-1", "(2)", "-(time())", "pi() * 2 # c", "# c\n 5", "scalar(sum(a))", "1 > bool 2"]],
  [
    "vector",
    ["a", "-a", "sum(a)", "a + 1", "1 + a", "vector(1)", "rate(a[5m])", "a offset 5m", "a @ 5", "(a) or b"],
  ],
  ["matrix", ["a[5m]", "(a[5m])", "a[5m] offset 1m", "a[5m] @ end()", "rate(a[5m])[1h:5m]"]],
  ["string", ['"a"', "('a')"]],
])("a %s is what %j give", (type, texts) => {
  expect(texts.map((text) => promqlProblem(text) ?? valueTypeOf(text))).toEqual(texts.map(() => type));
});

test.each([
  ["sum(rate(x))", "rate needs a range, such as rate(x[5m])"],
  ["rate(x)", "rate needs a range, such as rate(x[5m])"],
  ["max_over_time(sum(x))", "max_over_time needs a range, such as max_over_time(x[5m])"],
  ["sum(x[5m]) by (pod)", "sum takes no range"],
  ["abs(x[5m])", "abs takes no range"],
  ["sum by (pod) (rate(x[5m] offset 1m))", undefined],
  ["quantile_over_time(0.9, rate(x[1m])[10m:1m])", undefined],
  ["predict_linear((x[1h]), 3600)", undefined],
  ["max_over_time(x[5m] @ end())", undefined],
  ["sum(increase(x[5m])) or vector(0)", undefined],
])("the ranges of %s", (query, problem) => {
  expect(promqlProblem(query)).toBe(problem);
});
