import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createCatalog } from "../../src/catalog/catalog.ts";
import { compileRule } from "../../src/compile/compile-rule.ts";
import type { Decided } from "../../src/compile/compiled.ts";
import type { WatchedRule } from "../../src/kind/kind.ts";
import { context, externalSpec, podsSpec, watchedRule } from "../rules.ts";

function newCatalog(rulesPerNamespace = 50) {
  const compiled: string[] = [];
  const compile = ({ metadata, read }: WatchedRule): Decided => {
    compiled.push(metadata.name);
    if (!read.ok) return { type: "refused", refusal: { reason: "InvalidSpec", message: "" } };
    return compileRule({ namespace: metadata.namespace ?? "", name: metadata.name }, read.spec, context);
  };
  return { catalog: createCatalog({ rulesPerNamespace, compile, overLimit: "too many" }), compiled };
}

const at = (second: number) => ({ creationTimestamp: `2026-01-01T00:00:0${second}Z` });
const reasonOf = (decided: Decided | undefined) =>
  decided?.type === "refused" ? decided.refusal.reason : decided?.type;

test("a metric belongs to one namespace, and to its own API", () => {
  const { catalog } = newCatalog();
  catalog.update("shop", [watchedRule("packets", podsSpec()), watchedRule("queue", externalSpec())]);
  expect(catalog.custom("shop", "pods", "packets")?.name).toBe("packets");
  expect(catalog.external("shop", "queue")?.name).toBe("queue");
  expect(catalog.external("shop", "packets")).toBeUndefined();
  expect(catalog.custom("shop", "pods", "queue")).toBeUndefined();
  expect(catalog.custom("other", "pods", "packets")).toBeUndefined();
  expect(catalog.customInfos()).toEqual([{ groupResource: "pods", metric: "packets", namespaced: true }]);
  expect(catalog.externalNames()).toEqual(["queue"]);
  expect(catalog.counts()).toEqual({ accepted: 2, refused: 0 });
});

test("of two rules with one metric the oldest is served, then the first by name", () => {
  const spec = { ...podsSpec(), metric: "packets" };
  const young = watchedRule("a", spec, at(2));
  const old = watchedRule("c", spec, at(1));
  const twin = watchedRule("b", spec, at(1));
  for (const order of [
    [young, old, twin],
    [twin, young, old],
  ]) {
    const { catalog } = newCatalog();
    catalog.update("shop", order);
    expect(catalog.custom("shop", "pods", "packets")?.name).toBe("b");
    expect(catalog.decisionOn(young)).toEqual({
      type: "refused",
      refusal: {
        reason: "NameTaken",
        message:
          "spec.metric: the older MetricRule b defines the metric of pods packets: use another name, or delete one of the two",
      },
    });
    expect(reasonOf(catalog.decisionOn(old))).toBe("NameTaken");
  }
});

test("a rule that is refused claims no metric", () => {
  const { catalog } = newCatalog();
  const spec = { ...podsSpec("sum("), metric: "packets" };
  catalog.update("shop", [watchedRule("old", spec, at(1)), watchedRule("packets", podsSpec(), at(2))]);
  expect(catalog.custom("shop", "pods", "packets")?.name).toBe("packets");
});

test("the oldest rules count against the limit, and the others are not compiled", () => {
  const { catalog, compiled } = newCatalog(2);
  const rules = [3, 1, 2, 0].map((second) => watchedRule(`r${second}`, podsSpec(), at(second)));
  catalog.update("shop", rules);
  expect(rules.map((rule) => reasonOf(catalog.decisionOn(rule)))).toEqual([
    "LimitExceeded",
    "accepted",
    "LimitExceeded",
    "accepted",
  ]);
  expect(compiled.toSorted()).toEqual(["r0", "r1"]);
});

test("a change compiles the changed rule alone, and reports what is decided otherwise", () => {
  const { catalog, compiled } = newCatalog();
  const rules = ["a", "b", "c"].map((name) => watchedRule(name, podsSpec()));
  expect(catalog.update("shop", rules)).toHaveLength(3);
  compiled.length = 0;
  const [a, , c] = rules as [WatchedRule, WatchedRule, WatchedRule];
  const changed = watchedRule("b", podsSpec("sum by (pod) (x)"), { generation: 2 });
  const before = catalog.custom("shop", "pods", "a");
  expect(catalog.update("shop", [a, changed, c])).toEqual([changed]);
  expect(compiled).toEqual(["b"]);
  expect(catalog.custom("shop", "pods", "a")).toBe(before);
  expect(catalog.decisionOn(rules[1] as WatchedRule)).toBeUndefined();
});

test("a status that is written changes nothing; an object that was created again is another one", () => {
  const { catalog, compiled } = newCatalog();
  catalog.update("shop", [watchedRule("a", podsSpec())]);
  compiled.length = 0;
  expect(catalog.update("shop", [watchedRule("a", podsSpec(), { resourceVersion: "9" })])).toEqual([]);
  expect(compiled).toEqual([]);
  const recreated = watchedRule("a", podsSpec("x"), { uid: "other" });
  expect(catalog.update("shop", [recreated])).toEqual([recreated]);
  expect(catalog.custom("shop", "pods", "a")?.query).toBe('x{namespace="shop"}');
});

test("the lists of discovery stay the same arrays until a metric comes or goes", () => {
  const { catalog } = newCatalog();
  catalog.update("shop", [watchedRule("a", podsSpec())]);
  const infos = catalog.customInfos();
  const other = (query: string) => watchedRule("a", podsSpec(query), { namespace: "other" });
  catalog.update("other", [other("x")]);
  expect(catalog.customInfos()).toBe(infos);
  catalog.update("shop", []);
  expect(catalog.customInfos()).toBe(infos);
  catalog.update("other", []);
  expect(catalog.customInfos()).toEqual([]);
  expect(catalog.counts()).toEqual({ accepted: 0, refused: 0 });
  expect([...catalog.namespaces()]).toEqual([]);
});

test("after any changes the catalog is as if it had been made of the last rules at once", () => {
  const rule = fc.record({
    name: fc.constantFrom("a", "b", "c", "d"),
    metric: fc.constantFrom("m", "n"),
    isExternal: fc.boolean(),
    second: fc.integer({ min: 0, max: 3 }),
    query: fc.constantFrom("x", "sum(", "y"),
  });
  const rules = fc.uniqueArray(rule, { maxLength: 4, selector: ({ name }) => name });
  const change = fc.record({ namespace: fc.constantFrom("shop", "other"), rules });
  assertProperty(
    fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
      const { catalog } = newCatalog(3);
      const last = new Map<string, readonly WatchedRule[]>();
      changes.forEach(({ namespace, rules: some }, step) => {
        const all = some.map(({ name, metric, isExternal, second, query }) =>
          watchedRule(
            name,
            { type: isExternal ? "External" : "Pods", metric, query },
            { namespace, generation: step, ...at(second) },
          ),
        );
        last.set(namespace, all);
        catalog.update(namespace, all);
      });
      const { catalog: fresh } = newCatalog(3);
      for (const [namespace, all] of last) fresh.update(namespace, all);
      for (const [namespace, all] of last) {
        for (const one of all) expect(catalog.decisionOn(one)).toEqual(fresh.decisionOn(one));
        for (const metric of ["m", "n"]) {
          expect(catalog.custom(namespace, "pods", metric)).toEqual(fresh.custom(namespace, "pods", metric));
          expect(catalog.external(namespace, metric)).toEqual(fresh.external(namespace, metric));
        }
      }
      expect(new Set(catalog.externalNames())).toEqual(new Set(fresh.externalNames()));
      expect(new Set(catalog.customInfos())).toEqual(new Set(fresh.customInfos()));
      expect(catalog.counts()).toEqual(fresh.counts());
    }),
    { numRuns: 3_000 },
  );
});
