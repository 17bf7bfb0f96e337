import { isQueryName, queryName } from "@plimsoll/core/queries";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createCatalog } from "../../src/catalog/catalog.ts";
import { decideNamespace } from "../../src/catalog/decide-namespace.ts";
import { compileRule } from "../../src/compile/compile-rule.ts";
import { queriesOverLimit } from "../../src/compile/limits.ts";
import { haveSameQueries, projectQueries } from "../../src/queries/project.ts";
import { compileQuery } from "../../src/queries/watched-queries.ts";
import { context } from "../rules.ts";

const target = { type: "Value", value: "1" };
const query = (promql: string, rest: object = {}) => ({ type: "Query", query: { promql, target, ...rest } });
const raw = (metrics: unknown, metadata: object = {}) => ({
  metadata: {
    name: "web",
    namespace: "shop",
    uid: "u",
    creationTimestamp: "2026-01-01T00:00:00Z",
    ...metadata,
  },
  spec: { metrics },
});

test("an object is cut down to its queries, each a rule of its namespace", () => {
  const cpu = { type: "Resource", resource: { name: "cpu" } };
  const { queries, metadata } = projectQueries(
    raw([cpu, query("a"), query("a"), query("b", { podLabel: "p" })]),
  );
  expect(metadata).toEqual({ name: "web", namespace: "shop", uid: "u" });
  const [a, b] = [
    queryName("web", { promql: "a", source: "default", podLabel: undefined }),
    queryName("web", { promql: "b", source: "default", podLabel: "p" }),
  ];
  expect(queries).toMatchObject([
    { metadata: { name: a }, position: 0, read: { spec: { type: "External", metric: a, query: "a" } } },
    {
      metadata: { name: b },
      position: 1,
      read: { spec: { type: "Pods", metric: b, query: "b", label: "p" } },
    },
  ]);
});

test("what is refused says the field, and no position that may change", () => {
  const [rule] = projectQueries(raw([query("a"), query(" ", { source: "A" })])).queries.slice(1);
  expect(rule === undefined ? undefined : compileQuery(rule, context)).toEqual({
    type: "refused",
    refusal: {
      reason: "InvalidSpec",
      message: expect.stringMatching(/^query\.promql: must not be blank.*; query\.source: cannot be used/),
    },
  });
});

test("whatever an object has, its projection is small and never fails", () => {
  const anyQuery = fc.anything().map((inner) => ({ type: "Query", query: inner }));
  const metrics = fc.oneof(fc.anything(), fc.array(fc.oneof(anyQuery, fc.anything()), { maxLength: 200 }));
  assertProperty(
    fc.property(metrics, (list) => {
      const { queries } = projectQueries(raw(list));
      expect(queries.length).toBeLessThanOrEqual(10);
      for (const { metadata } of queries) expect(isQueryName(metadata.name)).toBe(true);
      expect(JSON.stringify(queries).length).toBeLessThan(10 * 10_000);
    }),
    { numRuns: 2_000 },
  );
});

test("two states of an object have the same queries whatever else is edited, and not after a new beginning", () => {
  const before = projectQueries(raw([query("a"), query("b")]));
  const target2 = { type: "Value", value: "2" };
  expect(haveSameQueries(before, projectQueries(raw([query("a", { target: target2 }), query("b")])))).toBe(
    true,
  );
  for (const other of [
    raw([query("b"), query("a")]),
    raw([query("a")]),
    raw([query("a"), query("c")]),
    raw([query("a"), query("b")], { uid: "other" }),
  ])
    expect(haveSameQueries(before, projectQueries(other))).toBe(false);
});

test("a query that is corrected in what is not a part of its name is another one, and is decided on once more", () => {
  const catalog = createCatalog({
    rulesPerNamespace: 50,
    overLimit: queriesOverLimit(50),
    compile: (rule) => compileQuery(rule, context),
  });
  const wrong = projectQueries(raw([query("a", { target: undefined })], { generation: 1 }));
  const right = projectQueries(raw([query("a")], { generation: 2 }));
  expect(haveSameQueries(wrong, right)).toBe(false);
  catalog.update("shop", wrong.queries);
  expect(catalog.counts()).toEqual({ accepted: 0, refused: 1 });
  catalog.update("shop", right.queries);
  expect(catalog.counts()).toEqual({ accepted: 1, refused: 0 });
});

test("over the limit the first query of each object is served before the second of any", () => {
  const at = (second: number) => ({ creationTimestamp: `2026-01-01T00:00:0${second}Z` });
  const rules = [
    ...projectQueries(raw([query("a1"), query("a2"), query("a3")], { name: "a", ...at(1) })).queries,
    ...projectQueries(raw([query("b1"), query("b2")], { name: "b", ...at(2) })).queries,
    ...projectQueries(raw([query("c1")], { name: "c", ...at(3) })).queries,
  ];
  const decisions = decideNamespace(rules, {
    rulesPerNamespace: 4,
    overLimit: queriesOverLimit(4),
    compile: ({ metadata, read }) =>
      read.ok
        ? compileRule({ namespace: "shop", name: metadata.name }, read.spec, context)
        : { type: "pending" },
  });
  const served = rules.flatMap(({ metadata, read }) =>
    decisions.get(metadata.name)?.type === "accepted" && read.ok ? [read.spec.query] : [],
  );
  expect(served).toEqual(["a1", "a2", "b1", "c1"]);
});
