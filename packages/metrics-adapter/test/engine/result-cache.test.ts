import { expect, test } from "vitest";
import { createResultCache } from "../../src/query/result-cache.ts";

test("gives an answer again up to its age, not a moment longer, whatever the clock does", () => {
  const cache = createResultCache<string>({ maxAgeMs: 100 });
  cache.set("k", "v", 1_000);
  expect(cache.get("k", 1_100)).toBe("v");
  expect(cache.get("k", 999)).toBeUndefined();
  cache.set("k", "v", 1_000);
  expect(cache.get("k", 1_101)).toBeUndefined();
  expect(cache.size).toBe(0);
});

test("keeps nothing when no age is allowed", () => {
  const cache = createResultCache<string>({ maxAgeMs: 0 });
  cache.set("k", "v", 1_000);
  expect(cache.get("k", 1_000)).toBeUndefined();
});

test("drops the oldest when there are too many, or too much", () => {
  const cache = createResultCache<number>({
    maxAgeMs: 100,
    maxEntries: 3,
    maxWeight: 10,
    weigh: (value) => value,
  });
  for (const [at, key] of ["a", "b", "c", "d"].entries()) cache.set(key, 1, at);
  expect([cache.get("a", 5), cache.get("b", 5), cache.size]).toEqual([undefined, 1, 3]);
  cache.set("big", 9, 5);
  expect([cache.get("c", 5), cache.get("d", 5), cache.get("big", 5)]).toEqual([undefined, 1, 9]);
  cache.set("huge", 11, 5);
  expect(cache.size).toBe(0);
});
