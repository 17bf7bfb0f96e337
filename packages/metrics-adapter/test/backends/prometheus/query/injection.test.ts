import { parseSelector, SelectorError } from "@plimsoll/core/selector";
import { compileQueryTemplate } from "@plimsoll/prometheus";
import { assertProperty } from "@plimsoll/properties";
import { isNamespaceName, isObjectName, matchersOf, planQuery } from "@plimsoll/rules";
import { parser } from "@prometheus-io/lezer-promql";
import * as fc from "fast-check";
import { expect, test } from "vitest";

const corpus = [
  'x"} or vector(1) or (up{a="',
  'x"}',
  "x'",
  "`",
  "\\",
  '\\"',
  "\n",
  "a|b",
  ".*",
  'x,namespace!="x',
  "$1",
  "<<.Series>>",
  "\u0000",
  "\ud800",
  "é",
  "__proto__",
  "constructor",
  "a.b",
  "web-5d4f.x",
];

const name = fc.oneof(
  fc.constantFrom(...corpus),
  fc.string({ unit: "binary", maxLength: 12 }),
  fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,8}[a-z0-9])?$/),
);

const byMatchers = compileQueryTemplate("sum(rate(<<.Series>>{<<.LabelMatchers>>}[5m])) by (<<.GroupBy>>)");
const byValues = compileQueryTemplate(
  'sum(<<.Series>>{ns="<<.LabelValuesByName.namespace>>",pod=~"<<index .LabelValuesByName "pod">>",x=\'<<index .LabelValuesByName "a">>\'})',
);

/** The shape of a query, however its strings are filled. */
function shapeOf(promql: string): string {
  const names: string[] = [];
  parser.parse(promql).iterate({
    enter(node) {
      names.push(node.type.isError ? "error" : node.name);
    },
  });
  return names.join(" ");
}

test("whatever the names, the query keeps its shape", () => {
  assertProperty(
    fc.property(name, fc.array(name, { minLength: 1, maxLength: 3 }), (namespace, names) => {
      const planned = planQuery({
        template: byMatchers,
        series: "up",
        selector: [],
        namespace: { label: "namespace", name: namespace },
        objectLabel: "pod",
        names,
        groupBy: ["pod"],
      });
      const operator = names.length === 1 ? "=" : "=~";
      const plain = `sum(rate(up{namespace="n",pod${operator}"p"}[5m])) by (pod)`;
      expect(planned.ok && shapeOf(planned.plan.promql)).toBe(shapeOf(plain));
      expect(planned.ok && planned.plan.windowSeconds).toBe(300);
    }),
    { numRuns: 2_000 },
  );
});

test("names that are let through keep the shape of a rule with quotes of its own", () => {
  const plain = shapeOf('sum(up{ns="n",pod=~"p",x=\'v\'})');
  assertProperty(
    fc.property(name, fc.array(name, { minLength: 1, maxLength: 3 }), (namespace, names) => {
      fc.pre(isNamespaceName(namespace) && names.every(isObjectName));
      const planned = planQuery({
        template: byValues,
        series: "up",
        selector: [],
        namespace: { label: "namespace", name: namespace },
        objectLabel: "pod",
        names,
        groupBy: [],
      });
      expect(planned.ok && shapeOf(planned.plan.promql)).toBe(plain);
    }),
    { numRuns: 1_000 },
  );
});

test("nothing that could leave its quotes counts as a name", () => {
  assertProperty(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.constantFrom(...Array.from("\"'`\\{}<>,=~|*+?()[]$^ \n\u0000%/")),
      (rest, char) => {
        expect(isObjectName(`a${rest}${char}b`)).toBe(false);
        expect(isNamespaceName(`a${rest}${char}b`)).toBe(false);
      },
    ),
  );
  expect(corpus.filter(isObjectName)).toEqual(["constructor", "a.b", "web-5d4f.x"]);
  expect(corpus.filter(isNamespaceName)).toEqual(["constructor"]);
});

test("no selector text adds a matcher that is not in it, or removes the namespace", () => {
  const key = fc.oneof(
    fc.constantFrom("a", "namespace", "app.kubernetes.io/name", "b-c", "__name__"),
    fc.string({ maxLength: 6 }),
  );
  const value = fc.oneof(fc.constantFrom(...corpus), fc.string({ maxLength: 6 }));
  const requirement = fc.oneof(
    fc.tuple(key, fc.constantFrom("=", "!=", "==", ">"), value).map((parts) => parts.join("")),
    fc
      .tuple(key, fc.constantFrom(" in ", " notin "), fc.array(value, { maxLength: 3 }))
      .map(([k, op, values]) => `${k}${op}(${values.join(",")})`),
    key,
    key.map((text) => `!${text}`),
  );
  assertProperty(
    fc.property(fc.array(requirement, { maxLength: 3 }), (requirements) => {
      const promql = queryFor(requirements.join(","));
      if (promql === undefined) return true;
      const shape = shapeOf(promql);
      const matchers = shape.split(" ").filter((node) => /^(Unquoted|Quoted)LabelMatcher$/.test(node)).length;
      return (
        !shape.includes("error") &&
        promql.includes('namespace="ns"') &&
        matchers === countOf(requirements.join(",")) + 1
      );
    }),
    { numRuns: 3_000 },
  );
  expect(queryFor("a in (x,y.z),!b")).toBe('sum(rate(up{a=~"x|y\\\\.z",b="",namespace="ns"}[5m])) by ()');
});

function countOf(selector: string): number {
  return parseSelector(selector).requirements.length;
}

function queryFor(selector: string): string | undefined {
  try {
    const matchers = matchersOf(parseSelector(selector));
    if (!matchers.ok) return undefined;
    const namespace = { label: "namespace", name: "ns" };
    const planned = planQuery({
      template: byMatchers,
      series: "up",
      selector: matchers.matchers,
      namespace,
      objectLabel: undefined,
      names: undefined,
      groupBy: [],
    });
    return planned.ok ? planned.plan.promql : undefined;
  } catch (error) {
    if (error instanceof SelectorError) return undefined;
    throw error;
  }
}
