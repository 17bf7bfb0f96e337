// Leases with values that no member or candidate would write.
import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { installedServer, member } from "./lease-server.ts";
import { candidate, leaseServer } from "./one-lease.ts";

const years = 2 ** 31 - 1;

async function leaderAndCandidate() {
  const clock = manualClock(0);
  const server = leaseServer();
  const [a, b] = [candidate(server, clock, "a"), candidate(server, clock, "b")];
  a.elector.start();
  await clock.advance(1000);
  b.elector.start();
  await clock.advance(20_000);
  const stop = () => Promise.all([a.elector.stop(), b.elector.stop()]);
  return { clock, server, a, b, stop };
}

test("a leader that ended is followed within ten minutes, though its lease says that it lasts for years", async () => {
  const { clock, server, b, stop } = await leaderAndCandidate();
  server.cutOff.add("a");
  server.edit({ leaseDurationSeconds: years });
  await clock.advance(610_000);
  expect(b.elector.isLeader).toBe(true);
  expect(server.lease?.spec.leaseDurationSeconds).toBe(15);
  await stop();
});

test("a duration that another client shortened gives no candidate the lease before its leader has stopped", async () => {
  const { clock, server, a, b, stop } = await leaderAndCandidate();
  server.cutOff.add("a");
  server.edit({ leaseDurationSeconds: 1 });
  for (let ms = 0; ms < 30_000; ms += 100) {
    await clock.advance(100);
    expect(a.elector.isLeader && b.elector.isLeader).toBe(false);
  }
  expect(b.elector.isLeader).toBe(true);
  await stop();
});

test("the count of leaders stays a number that the API server takes", async () => {
  const { clock, server, b, stop } = await leaderAndCandidate();
  server.cutOff.add("a");
  server.edit({ leaseTransitions: years });
  await clock.advance(30_000);
  expect(b.elector.isLeader).toBe(true);
  expect(server.lease?.spec.leaseTransitions).toBe(years);
  await stop();
});

test("a leader that slept while another led, and released the lease, stops and starts again", async () => {
  const { clock, server, a, stop } = await leaderAndCandidate();
  // Between two of its renewals: its timers stood still.
  server.rob("b");
  server.rob("");
  await clock.advance(4000);
  expect(a.elector.isLeader).toBe(true);
  expect(a.log).toEqual(["started 0", "lost", "stopped", "started 1"]);
  await stop();
});

test("a lease that is shared lasts ten minutes at most, whatever another client wrote", async () => {
  const clock = manualClock(0);
  const server = leaseServer();
  const { elector } = candidate(server, clock, "4 shards", { isShared: true });
  elector.start();
  await clock.advance(1000);
  server.edit({ leaseDurationSeconds: years });
  await clock.advance(20_000);
  expect(elector.isLeader).toBe(true);
  expect(server.lease?.spec.leaseDurationSeconds).toBe(600);
  await elector.stop();
});

test("the shards of a member that ended are used again, though its lease says that it lasts for years", async () => {
  const server = installedServer();
  const clock = manualClock(0);
  const [a, b] = [member(server, clock, "a").claims, member(server, clock, "b").claims];
  a.start();
  b.start();
  await clock.advance(30_000);
  expect([a.owned.length, b.owned.length]).toEqual([2, 2]);
  server.cutOff.add("a");
  const spec = { holderIdentity: "a", leaseDurationSeconds: years };
  server.change("autoscaler-member-a", spec);
  await clock.advance(630_000);
  expect([a.owned.length, b.owned.length]).toEqual([0, 4]);
  await Promise.all([a.stop(), b.stop()]);
});
