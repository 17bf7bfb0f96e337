import { expect, test } from "vitest";
import { createFairCache } from "../../src/cache/fair-cache.ts";
import { createCacheMeter } from "../../src/index.ts";
import { manualClock } from "../../src/testing/index.ts";

function cacheOf(maxBytes: number) {
  const clock = manualClock(0);
  const { after, nowMs } = clock;
  const meter = createCacheMeter({ nowMs, after, afterIdle: after });
  const cache = createFairCache<number>({
    name: "fair",
    meter,
    maxBytes,
    ttlMs: 5_000,
    sizeOf: (size) => size,
  });
  return { cache, clock, meter };
}

test("an owner that stores without end evicts its own entries, and none of those that have less", () => {
  const { cache } = cacheOf(100_000);
  for (let at = 0; at < 8; at += 1) cache.set(`small-${at}`, "a", 5_000);
  for (let at = 0; at < 1_000; at += 1) {
    cache.set("large", `k${at}`, 20_000);
    expect(cache.bytes).toBeLessThanOrEqual(100_000);
  }
  for (let at = 0; at < 8; at += 1) expect(cache.get(`small-${at}`, "a")).toBe(5_000);
  expect([cache.get("large", "k999"), cache.get("large", "k0")]).toEqual([20_000, undefined]);
});

test("owners that all store without end have equal parts", () => {
  const { cache } = cacheOf(100_000);
  for (let at = 0; at < 100; at += 1)
    for (const owner of ["a", "b", "c", "d"]) cache.set(owner, `k${at}`, 1_000);
  const kept = ["a", "b", "c", "d"].map(
    (owner) => Array.from({ length: 100 }, (_, at) => cache.get(owner, `k${at}`)).filter(Boolean).length,
  );
  expect(Math.max(...kept) - Math.min(...kept)).toBeLessThanOrEqual(1);
  expect(kept.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(70);
});

test("an entry is gone when it is too old, and nothing is left behind by entries that are not read", async () => {
  const { cache, clock, meter } = cacheOf(100_000);
  cache.set("a", "k", 10);
  cache.set("a", "short", 10, 1_000);
  cache.set("a", "none", 10, 0);
  cache.set("a", "k".repeat(1_025), 10);
  cache.set("a", "huge", 200_000);
  expect(meter.bytes().get("fair")).toBe(cache.bytes);
  await clock.advance(1_000);
  expect(["k", "short", "none", "huge"].map((key) => cache.get("a", key))).toEqual([
    10,
    undefined,
    undefined,
    undefined,
  ]);
  await clock.advance(10_000);
  expect(cache.bytes).toBe(0);
});

test("a value that replaces another counts once, and an owner sees no entry of another", () => {
  const { cache } = cacheOf(100_000);
  cache.set("a", "k", 100);
  const once = cache.bytes;
  cache.set("a", "k", 100);
  expect([cache.bytes, cache.get("b", "k")]).toEqual([once, undefined]);
  cache.delete("a", "k");
  expect(cache.bytes).toBe(0);
});
