import { createCacheMeter } from "@plimsoll/component-base";
import { expect, test } from "vitest";
import { cacheLimitsMiB, sendHostile } from "./hostile-load.ts";

const mib = 1024 * 1024;

test("requests, none like another, leave no more in the caches than fits in them", async () => {
  const meter = createCacheMeter();
  // Enough for the caches of answers, plans and identities; faults/hostile-memory.test.ts sends 10,000.
  await sendHostile(2_000, meter);
  const bytes = meter.bytes();
  for (const [cache, maxMiB] of Object.entries(cacheLimitsMiB)) {
    expect([cache, bytes.get(cache)]).toEqual([cache, expect.any(Number)]);
    expect(bytes.get(cache)).toBeGreaterThan(0);
    expect(bytes.get(cache)).toBeLessThanOrEqual(maxMiB * mib);
  }
  for (const full of ["plans", "identities"] as const) {
    expect(bytes.get(full)).toBeGreaterThan(0.99 * cacheLimitsMiB[full] * mib);
  }
});
