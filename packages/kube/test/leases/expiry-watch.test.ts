import { manualClock } from "@plimsoll/component-base/testing";
import type { Lease } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { createExpiryWatch } from "../../src/leases/expiry-watch.ts";

const first: Lease = { metadata: { name: "main", uid: "u1", resourceVersion: "1" }, spec: {} };

test.each<[string, Lease, number | undefined, number]>([
  ["for as long as it says", { ...first, spec: { leaseDurationSeconds: 12 } }, undefined, 12_000],
  ["for the default where it says less", { ...first, spec: { leaseDurationSeconds: 3 } }, undefined, 10_000],
  ["for as long as the caller says", { ...first, spec: { leaseDurationSeconds: 3 } }, 5000, 5000],
  ["for the default where it says nothing", first, undefined, 10_000],
  ["for the default without a spec", { metadata: first.metadata }, undefined, 10_000],
])("a lease lasts %s", async (_, lease, durationMs, lastsMs) => {
  const clock = manualClock(0);
  const watch = createExpiryWatch(clock, 10_000);
  expect([watch.isExpired, watch.leftMs]).toEqual([false, 10_000]);
  const look = () => [watch.observe(lease, durationMs), watch.isExpired, watch.leftMs];
  expect(look()).toEqual([false, false, lastsMs]);
  await clock.advance(lastsMs - 1);
  expect(look()).toEqual([false, false, 1]);
  await clock.advance(1);
  expect(look()).toEqual([true, true, 0]);
});

test.each<[string, Lease]>([
  ["version", { ...first, metadata: { ...first.metadata, resourceVersion: "2" } }],
  ["uid", { ...first, metadata: { ...first.metadata, uid: "u2" } }],
  ["spec", { ...first, spec: { holderIdentity: "b" } }],
])("a lease with another %s lasts from then on", async (_, changed) => {
  const clock = manualClock(0);
  const watch = createExpiryWatch(clock, 10_000);
  watch.observe(first);
  await clock.advance(9000);
  expect(watch.observe(changed)).toBe(false);
  await clock.advance(9999);
  expect(watch.isExpired).toBe(false);
  await clock.advance(1);
  expect(watch.isExpired).toBe(true);
  expect(watch.observe(first)).toBe(false);
  watch.end();
  expect(clock.pendingTimers).toBe(0);
});

test.each([
  { maxRoundMs: undefined, gapMs: 4999, isExpired: true },
  { maxRoundMs: undefined, gapMs: 5000, isExpired: false },
  { maxRoundMs: 1000, gapMs: 4999, isExpired: true },
  { maxRoundMs: 6000, gapMs: 5999, isExpired: true },
  { maxRoundMs: 6000, gapMs: 6000, isExpired: false },
])(
  "a lease that is absent at looks $gapMs ms apart, with rounds of up to $maxRoundMs ms, expires: $isExpired",
  async ({ maxRoundMs, gapMs, isExpired }) => {
    for (const lease of [undefined, first]) {
      const clock = manualClock(0);
      const watch = createExpiryWatch(clock, 10_000, maxRoundMs);
      for (let look = 0; look < 4; look += 1) {
        watch.observe(lease);
        await clock.advance(gapMs);
      }
      expect(watch.observe(lease)).toBe(isExpired || lease !== undefined);
    }
  },
);

test("where timers and clock disagree, a lease has expired by the timer, and nothing is left by either", async () => {
  const timers = manualClock(0);
  let nowMs = 0;
  const watch = createExpiryWatch({ nowMs: () => nowMs, after: timers.after }, 10_000);
  watch.observe(first);
  nowMs = 20_000;
  expect([watch.isExpired, watch.leftMs]).toEqual([false, 0]);
  nowMs = 0;
  await timers.advance(10_000);
  expect([watch.isExpired, watch.leftMs]).toEqual([true, 0]);
});
