import { sleep } from "@plimsoll/component-base";
import { type ManualClock, manualClock } from "@plimsoll/component-base/testing";
import type { Lease } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { createMembership } from "../../src/leases/membership.ts";

/** A member whose lease a server writes as version 1, 2, …; its renew deadline is 7 s. */
function joined(timers: ManualClock = manualClock(0), clock = timers) {
  const log: string[] = [];
  const server = { tookMs: 0, isAway: false, usableForMs: Number.POSITIVE_INFINITY };
  let version = 0;
  const membership = createMembership({
    clock,
    renewDeadlineMs: 7000,
    read() {
      log.push("read");
      return Promise.resolve(undefined);
    },
    async write(former): Promise<Lease> {
      log.push(`write over ${former?.metadata.resourceVersion ?? "none"}`);
      await sleep(timers, server.tookMs);
      if (server.isAway) throw new Error("away");
      version += 1;
      return { metadata: { name: "member-a", resourceVersion: String(version) } };
    },
    usableForMs: () => server.usableForMs,
    onLapse: () => log.push("lapse"),
  });
  return { timers, server, membership, log };
}

test("a renewal counts from its beginning, and what is owned lapses with the renew deadline", async () => {
  const { timers, server, membership, log } = joined();
  server.tookMs = 1000;
  expect([membership.isValid, membership.term]).toEqual([false, 0]);
  const renewal = membership.renew();
  expect(membership.lease).toBeUndefined();
  await timers.advance(6999);
  await renewal;
  expect([membership.isValid, membership.term, membership.lease?.metadata.resourceVersion]).toEqual([
    true,
    1,
    "1",
  ]);
  expect(log).toEqual(["read", "write over none", "lapse"]);
  await timers.advance(1);
  expect([membership.isValid, membership.term, log.slice(3)]).toEqual([false, 2, ["lapse"]]);
});

test("a renewal in time continues the term, and goes on from what the last one wrote, or reads again", async () => {
  const { timers, server, membership, log } = joined();
  await membership.renew();
  await timers.advance(5000);
  await membership.renew();
  await timers.advance(6999);
  expect([membership.isValid, membership.term]).toEqual([true, 1]);
  server.isAway = true;
  await expect(membership.renew()).rejects.toThrow("away");
  server.isAway = false;
  await membership.renew();
  expect(log).toEqual([
    "read",
    "write over none",
    "lapse",
    "write over 1",
    "write over 2",
    "read",
    "write over none",
  ]);
});

test("a renewal that took as long as the deadline makes nothing usable", async () => {
  const { timers, server, membership } = joined();
  server.tookMs = 7000;
  const renewal = membership.renew();
  await timers.advance(7000);
  await renewal;
  expect([membership.isValid, membership.term, timers.pendingTimers]).toEqual([false, 0, 0]);
});

test("what is owned lapses earlier where it may not be used until the renew deadline", async () => {
  const { timers, server, membership, log } = joined();
  server.tookMs = 500;
  server.usableForMs = 2000;
  const renewal = membership.renew();
  await timers.advance(2499);
  await renewal;
  expect(membership.isValid).toBe(true);
  await timers.advance(1);
  expect([membership.isValid, log.at(-1), membership.term]).toEqual([false, "lapse", 2]);
});

test("where the timer of the deadline is late, the next renewal begins with the lapse", async () => {
  const timers = manualClock(0);
  let nowMs = 0;
  const { membership, log } = joined(timers, { ...timers, nowMs: () => nowMs });
  await membership.renew();
  nowMs = 7000;
  expect([membership.isValid, membership.term]).toEqual([false, 1]);
  await membership.renew();
  expect([membership.isValid, membership.term, log.at(-1)]).toEqual([true, 2, "lapse"]);
});

test("after the end nothing is usable, whatever a renewal that was under way wrote", async () => {
  const { timers, server, membership, log } = joined();
  await membership.renew();
  server.tookMs = 1000;
  const renewal = membership.renew();
  membership.end();
  expect([membership.isValid, membership.term, log.at(-1)]).toEqual([false, 2, "lapse"]);
  await timers.advance(1000);
  await renewal;
  expect([membership.isValid, membership.term, timers.pendingTimers]).toEqual([false, 2, 0]);
  expect(membership.lease?.metadata.resourceVersion).toBe("2");
});
