import { expect, test } from "vitest";
import { type BoundedCache, createBoundedCache } from "../../src/cache/bounded-cache.ts";
import { createCacheMeter } from "../../src/cache/cache-meter.ts";
import { createComputedCache } from "../../src/cache/computed-cache.ts";
import { manualClock } from "../../src/testing/index.ts";

test("a cache that may have no entries stores none", () => {
  const cache = createBoundedCache<string>({ name: "none", maxBytes: 1000, maxEntries: 0, ttlMs: 1000 });
  cache.set("a", "1");
  expect([cache.get("a"), cache.size]).toEqual([undefined, 0]);
});

test("counts keys and values in bytes, and evicts the least recently used entry", () => {
  const cache = createBoundedCache<string>({
    name: "test",
    maxBytes: 3_000,
    ttlMs: 1_000,
    sizeOf: (value) => value.length,
  });
  cache.set("a", "x".repeat(700));
  cache.set("b", "x".repeat(700));
  const kept = cache.bytes;
  for (let reads = 0; reads < 4; reads += 1) cache.get("a");
  cache.set("c".repeat(500), "x".repeat(100));
  expect([cache.get("a")?.length, cache.get("b"), cache.size]).toEqual([700, undefined, 2]);
  expect(kept).toBeGreaterThanOrEqual(1_400);
  cache.delete("a");
  cache.delete("c".repeat(500));
  expect([cache.bytes, cache.size]).toEqual([0, 0]);
});

test("keeps neither a key that is too long nor a value that is too large, nor what was there before", () => {
  const cache = createBoundedCache<number>({
    name: "test",
    maxBytes: 3_000,
    ttlMs: 1_000,
    sizeOf: (value) => value,
  });
  cache.set("k".repeat(1_025), 1);
  cache.set("a", 1);
  cache.set("a", 4_000);
  cache.set("b", 1, 0);
  expect([cache.size, cache.bytes, cache.get("a")]).toEqual([0, 0, undefined]);
});

test("whatever callers send, it holds no more than its bounds", () => {
  const cache = createBoundedCache<string>({ name: "test", maxBytes: 100_000, maxEntries: 50, ttlMs: 1_000 });
  for (let at = 0; at < 10_000; at += 1) {
    cache.set(`${"k".repeat(at % 900)}${String(at)}`, "v");
    expect(cache.bytes).toBeLessThanOrEqual(100_000);
    expect(cache.size).toBeLessThanOrEqual(50);
  }
});

/** Room for so many entries of one byte. */
function cacheOf(entries: number): BoundedCache<number> {
  return createBoundedCache<number>({
    name: "test",
    maxBytes: 1e9,
    maxEntries: entries,
    ttlMs: 1_000,
    nowMs: () => 0,
  });
}

/** Reads each key once, caching what is missing, as requests do. */
function hitsOf(cache: BoundedCache<number>, prefix: string, keys: number): number {
  let hits = 0;
  for (let at = 0; at < keys; at += 1) {
    const key = `${prefix}${String(at)}`;
    if (cache.get(key) === undefined) cache.set(key, at);
    else hits += 1;
  }
  return hits;
}

test.each([
  [900, 900],
  [1_300, 500],
  [2_000, 400],
  [5_000, 250],
])("a cycle over %i keys in a cache of 1,000 hits at least %i times a round", (keys, atLeast) => {
  const cache = cacheOf(1_000);
  const hits = Array.from({ length: 12 }, () => hitsOf(cache, "k", keys));
  expect(Math.min(...hits.slice(1))).toBeGreaterThanOrEqual(atLeast);
});

test("keys that are no longer read are evicted before those that are", () => {
  const cache = cacheOf(1_000);
  hitsOf(cache, "old", 5_000);
  const few = Array.from({ length: 3 }, () => hitsOf(cache, "few", 200));
  expect(few.slice(1)).toEqual([200, 200]);
  const many = Array.from({ length: 25 }, () => hitsOf(cache, "many", 900));
  expect(many.at(-1)).toBeGreaterThan(700);
});

test("what is too old expires without being read; a clock that was set back keeps nothing alive", async () => {
  const clock = manualClock(10_000);
  const { after } = clock;
  const cache = createBoundedCache<number>({
    name: "test",
    maxBytes: 10_000,
    ttlMs: 5_000,
    nowMs: clock.nowMs,
    after,
  });
  cache.set("a", 1);
  await clock.advance(3_000);
  cache.set("b", 2);
  await clock.advance(1_999);
  expect([cache.get("a"), cache.size]).toEqual([1, 2]);
  await clock.advance(8_000);
  expect([cache.size, cache.bytes, clock.pendingTimers]).toEqual([0, 0, 0]);
  let now = 10_000;
  const setBack = createBoundedCache<number>({
    name: "test",
    maxBytes: 10_000,
    ttlMs: 5_000,
    nowMs: () => now,
    after,
  });
  setBack.set("a", 1);
  now = 9_000;
  expect([setBack.get("a"), setBack.size]).toEqual([undefined, 0]);
});

test("caches that have none of their own age by the clock of their meter", async () => {
  const clock = manualClock(1_000);
  const meter = createCacheMeter({ ...clock, afterIdle: (delayMs, run) => void clock.after(delayMs, run) });
  const cache = createBoundedCache<string>({ name: "test", meter, maxBytes: 10_000, ttlMs: 5_000 });
  const computed = createComputedCache<undefined, string>({ name: "computed", meter, maxBytes: 10_000 });
  cache.set("a", "1");
  computed.get("b", undefined, (key) => key);
  expect(clock.pendingTimers).toBe(2);
  await clock.advance(4_999);
  expect(cache.get("a")).toBe("1");
  await clock.advance(1_201_000);
  expect([cache.size, meter.bytes().get("computed"), clock.pendingTimers]).toEqual([0, 0, 0]);
});
