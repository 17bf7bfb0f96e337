import { compileQueryTemplate } from "@plimsoll/prometheus";
import { expect, test } from "vitest";
import { isNamespaceName, isObjectName, matchersOf, planQuery, type QueryRequest } from "../../src/index.ts";

type Requirement = Parameters<typeof matchersOf>[0]["requirements"][number];

function plan(template: string, requirements: readonly Requirement[], request: Partial<QueryRequest> = {}) {
  const selector = matchersOf({ requirements });
  if (!selector.ok) return selector.message;
  const planned = planQuery({
    template: compileQueryTemplate(template),
    series: "x",
    selector: selector.matchers,
    namespace: undefined,
    objectLabel: undefined,
    names: undefined,
    groupBy: [],
    ...request,
  });
  if (!planned.ok) return `${planned.kind}: ${planned.message}`;
  return [planned.plan.promql, planned.plan.windowSeconds];
}

const usual = "<<.Series>>{<<.LabelMatchers>>}";
const namespace = { label: "ns", name: "web" };
const needs = (key: string, operator: Requirement["operator"], ...values: string[]): Requirement => ({
  key,
  operator,
  values,
});

test.each<[string, readonly Requirement[], Partial<QueryRequest>, unknown]>([
  [usual, [], {}, ["x{}", undefined]],
  [
    usual,
    [needs("c", "notin", "q.r", "p"), needs("b", "in", "2", "1"), needs("a", "=", "v"), needs("d", "!=", "")],
    {},
    ['x{a="v",b=~"1|2",c!~"p|q\\\\.r",d!=""}', undefined],
  ],
  [usual, [needs("a", "exists"), needs("b", "!"), needs("c", "=")], {}, ['x{a!="",b="",c=""}', undefined]],
  [usual, [needs("a", "gt", "1")], {}, "metric selector: the operator of a cannot be used for metrics"],
  [usual, [needs("a", "lt", "1")], {}, "metric selector: the operator of a cannot be used for metrics"],
  [usual, [needs("a", "in", "1", 'x"')], {}, 'metric selector: "x\\"" is not a label value'],
  ...(
    [
      ["=", "web"],
      ["!=", "app"],
      ["in", "app", "web"],
      ["notin", "app"],
    ] as const
  ).map(([operator, ...values]): [string, readonly Requirement[], Partial<QueryRequest>, unknown] => [
    "a <<.LabelValuesByName.ns>>",
    [needs("ns", operator, ...values)],
    { namespace },
    ["a web", undefined],
  ]),
  ...(
    [
      ["=", "app"],
      ["!=", "web"],
      ["in", "app"],
      ["notin", "app", "web"],
    ] as const
  ).map(([operator, ...values]): [string, readonly Requirement[], Partial<QueryRequest>, unknown] => [
    usual,
    [needs("a", "=", "b"), needs("ns", operator, ...values)],
    { namespace },
    "contradiction: the metric selector on ns excludes the request's namespace web",
  ]),
  [usual, [needs("ns", "!=", "app")], {}, ['x{ns!="app"}', undefined]],
  [usual, [], { namespace, objectLabel: "pod", names: "any" }, ['x{ns="web",pod!=""}', undefined]],
  [usual, [], { objectLabel: "pod" }, ["x{}", undefined]],
  [usual, [], { names: ["a"] }, ["x{}", undefined]],
  [
    "<<.LabelMatchers>> <<.LabelValuesByName.pod>> <<.GroupBy>>",
    [],
    { objectLabel: "pod", names: ["b.c", "a"], groupBy: ["pod", "queue"] },
    ['pod=~"a|b\\\\.c" a|b[.]c pod,queue', undefined],
  ],
  [
    "<<.LabelMatchers>> <<.LabelValuesByName.pod>>",
    [],
    { objectLabel: "pod", names: ["b.c"] },
    ['pod="b.c" b.c', undefined],
  ],
  ["<<.LabelValuesByName.pod>>", [], { objectLabel: "pod", names: "any" }, ["<no value>", undefined]],
  ["<<.Foo>>", [], {}, expect.stringMatching(/^render: the rule's query cannot be rendered: /)],
  ["<<if eq .Series `y`>>x<<end>>", [], {}, "render: the rule's query is empty for this request"],
  ["rate(x[90s])", [], {}, ["rate(x[90s])", 90]],
  ["rate(x[1s])", [], {}, ["rate(x[1s])", 1]],
  ["rate(x[1600ms])", [], {}, ["rate(x[1600ms])", 2]],
  ["rate(x[500ms])", [], {}, ["rate(x[500ms])", undefined]],
  ["rate(x[1m]) + rate(y[2m])", [], {}, ["rate(x[1m]) + rate(y[2m])", undefined]],
])("%s for %j and %j", (template, requirements, request, expected) => {
  expect(plan(template, requirements, request)).toEqual(expected);
});

test("names of namespaces and of objects", () => {
  const names = [
    "a",
    "a-1",
    `a${"b".repeat(61)}c`,
    `a${"b".repeat(62)}c`,
    "-a",
    "a-",
    "a_b",
    "A.b:c-d_9",
    ".a",
  ];
  const objects = [`a${"b".repeat(252)}`, `a${"b".repeat(253)}`, 'a"', "a\n", "\na", ""];
  expect(names.filter(isNamespaceName)).toEqual(names.slice(0, 3));
  expect([...names, ...objects].filter(isObjectName)).toEqual([
    ...names.slice(0, 4),
    "a_b",
    "A.b:c-d_9",
    objects[0],
  ]);
});
