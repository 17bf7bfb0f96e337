import { parseSelector } from "@plimsoll/core/selector";
import { expect, test } from "vitest";
import { createPodIndex, maxNamed } from "../../src/pods/pod-index.ts";

const many = 2000;
const keys = Array.from({ length: many }, (_, n) => `default/h${n}`);
const pods = Array.from({ length: 200 }, (_, n) => ({
  metadata: { name: `p${n}`, namespace: "default", labels: { app: "shop" } },
}));

test("up to twenty each names all, as upstream does", () => {
  const index = createPodIndex(() => pods);
  const all = keys.slice(0, maxNamed).sort();
  all.forEach((key, n) => index.select("default", key, parseSelector(n % 2 === 0 ? "app=shop" : `a!=${n}`)));
  for (const key of all) expect(index.ambiguousWith("default", key)).toEqual(all);
});

test.each([
  ["one selector", () => "app=shop"],
  ["selectors of their own", (n: number) => `app=shop,never!=${n}`],
])("of thousands that select the same pods by %s each finds a few, in few steps", (_, selectorOf) => {
  const index = createPodIndex(() => pods);
  keys.forEach((key, n) => index.select("default", key, parseSelector(selectorOf(n))));
  let asked = 0;
  const count = (key: string) => {
    asked++;
    return key !== "";
  };
  for (const key of keys) {
    const named = index.ambiguousWith("default", key, count);
    expect(named).toHaveLength(maxNamed);
    expect(named).toContain(key);
  }
  expect(asked).toBeLessThanOrEqual(many * maxNamed);
  // Where none of them counts, the search ends all the same.
  asked = 0;
  const none = index.ambiguousWith("default", "default/h0", () => {
    asked++;
    return false;
  });
  expect(none).toEqual([]);
  expect(asked).toBeLessThanOrEqual(20_000);
});

test("a pod that changes is matched once against thousands of selectors, twice when its labels change", () => {
  const index = createPodIndex(() => pods.slice(0, 1));
  let matched = 0;
  keys.forEach((key, n) => {
    const selector = parseSelector(`app=shop,never!=${n}`);
    const matches = (labels: Parameters<typeof selector.matches>[0]) => {
      matched++;
      return selector.matches(labels);
    };
    index.select("default", key, { ...selector, matches, toString: () => `${n}` });
  });
  const [object] = pods;
  if (object === undefined) throw new Error("there are pods");
  matched = 0;
  index.apply({ type: "modified", object, previous: { ...object, status: { phase: "Pending" } } });
  expect(matched).toBe(many);
  matched = 0;
  const metadata = { ...object.metadata, labels: { app: "shop", version: "2" } };
  index.apply({ type: "modified", object: { ...object, metadata }, previous: object });
  expect(matched).toBe(2 * many);
  expect(index.ambiguousWith("default", "default/h0")).toHaveLength(maxNamed);
});
