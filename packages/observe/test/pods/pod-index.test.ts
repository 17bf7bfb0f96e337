import { parseSelector } from "@plimsoll/core/selector";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createPodIndex } from "../../src/pods/pod-index.ts";
import type { PodView } from "../../src/pods/pod-view.ts";

function pod(name: string, labels: Record<string, string>, namespace = "default"): PodView {
  return { metadata: { name, namespace, labels } };
}

const app = { app: "shop" };

function names(pods: readonly PodView[]): readonly string[] {
  return pods.map((one) => one.metadata.name).sort();
}

test("a selector finds the pods there are and those that come, change and go", () => {
  const index = createPodIndex(() => [pod("a", app), pod("b", { app: "other" })]);
  const select = () => names(index.select("default", "default/hpa", parseSelector("app=shop")));
  expect(select()).toEqual(["a"]);

  index.apply({ type: "added", object: pod("c", app) });
  expect(select()).toEqual(["a", "c"]);

  index.apply({ type: "modified", object: pod("c", { app: "other" }), previous: pod("c", app) });
  expect(select()).toEqual(["a"]);

  index.apply({ type: "deleted", object: pod("a", app) });
  expect(select()).toEqual([]);
});

test("pods of another namespace are never selected", () => {
  const index = createPodIndex(() => []);
  index.select("default", "default/hpa", parseSelector("app=shop"));
  index.apply({ type: "added", object: pod("a", app, "elsewhere") });
  expect(index.select("default", "default/hpa", parseSelector("app=shop"))).toEqual([]);
});

test("two HPAs with the same selector are ambiguous once a pod matches", () => {
  const index = createPodIndex(() => []);
  index.select("default", "default/one", parseSelector("app=shop"));
  index.select("default", "default/two", parseSelector("app=shop"));
  expect(index.ambiguousWith("default", "default/one")).toEqual([]);
  index.apply({ type: "added", object: pod("a", app) });
  expect(index.ambiguousWith("default", "default/one")).toEqual(["default/one", "default/two"]);
});

test("different selectors that meet in one pod are ambiguous, until one HPA goes", () => {
  const index = createPodIndex(() => []);
  index.apply({ type: "added", object: pod("early", app) });
  index.select("default", "default/one", parseSelector("app=shop"));
  index.select("default", "default/two", parseSelector("tier in (front,back)"));
  index.select("default", "default/far", parseSelector("app=far"));
  index.apply({ type: "added", object: pod("a", { ...app, tier: "front" }) });
  expect(index.ambiguousWith("default", "default/one")).toEqual(["default/one", "default/two"]);
  expect(index.ambiguousWith("default", "default/two")).toEqual(["default/one", "default/two"]);
  expect(index.ambiguousWith("default", "default/far")).toEqual([]);
  index.drop("default", "default/two");
  expect(index.ambiguousWith("default", "default/one")).toEqual([]);
});

test("a changed selector replaces the former one", () => {
  const index = createPodIndex(() => [pod("a", app), pod("b", { app: "other" })]);
  index.select("default", "default/hpa", parseSelector("app=shop"));
  expect(names(index.select("default", "default/hpa", parseSelector("app=other")))).toEqual(["b"]);
  expect(names(index.select("default", "default/two", parseSelector("app=shop")))).toEqual(["a"]);
  expect(index.ambiguousWith("default", "default/two")).toEqual([]);
});

test("after any history the index says what a scan of all pods says", () => {
  const selectors = ["app=a", "app=b", "app in (a,b)", "tier=x", "!tier", "app=a,tier=x", "tier!=y"];
  const labels = fc.record(
    { app: fc.constantFrom("a", "b", "c"), tier: fc.constantFrom("x", "y") },
    { requiredKeys: [] },
  );
  const step = fc.oneof(
    fc.record({ kind: fc.constant("pod" as const), name: fc.constantFrom("p1", "p2", "p3"), labels }),
    fc.record({ kind: fc.constant("gone" as const), name: fc.constantFrom("p1", "p2", "p3") }),
    fc.record({
      kind: fc.constant("select" as const),
      hpa: fc.constantFrom("default/1", "default/2", "default/3"),
      selector: fc.constantFrom(...selectors),
    }),
    fc.record({
      kind: fc.constant("drop" as const),
      hpa: fc.constantFrom("default/1", "default/2", "default/3"),
    }),
  );
  assertProperty(
    fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, withPrevious) => {
      const pods = new Map<string, PodView>();
      const registered = new Map<string, string>();
      const index = createPodIndex(() => [...pods.values()]);
      const scan = (text: string) =>
        names([...pods.values()].filter((one) => parseSelector(text).matches(one.metadata.labels)));
      for (const one of steps) {
        if (one.kind === "pod") {
          const object = pod(one.name, one.labels);
          const previous = pods.get(one.name);
          pods.set(one.name, object);
          index.apply({
            type: previous === undefined ? "added" : "modified",
            object,
            ...(withPrevious && previous !== undefined ? { previous } : {}),
          });
        } else if (one.kind === "gone") {
          const previous = pods.get(one.name);
          if (previous === undefined) continue;
          pods.delete(one.name);
          index.apply({ type: "deleted", object: previous });
        } else if (one.kind === "select") {
          registered.set(one.hpa, one.selector);
          index.select("default", one.hpa, parseSelector(one.selector));
        } else {
          registered.delete(one.hpa);
          index.drop("default", one.hpa);
        }
      }
      for (const [hpa, text] of registered) {
        const own = scan(text);
        const meets = [...registered].filter(([, other]) => scan(other).some((name) => own.includes(name)));
        const expected = meets.length > 1 ? meets.map(([key]) => key).sort() : [];
        expect(index.ambiguousWith("default", hpa)).toEqual(expected);
        expect(names(index.select("default", hpa, parseSelector(text)))).toEqual(own);
      }
    }),
  );
});

test("at the start, HPAs that were not evaluated yet are taken for those that were", () => {
  const pods = Array.from({ length: 40 }, (_, n) => pod(`p${n}`, { app: `a${n % 10}` }));
  const first = parseSelector("app=a0");
  const alone = createPodIndex(() => pods);
  alone.select("default", "default/hpa0", first);
  expect(alone.batchedSelectors("default")).toBe(0);
  const known = createPodIndex(
    () => pods,
    () => 10,
  );
  known.select("default", "default/hpa0", first);
  expect(known.batchedSelectors("default")).toBe(1);
});
