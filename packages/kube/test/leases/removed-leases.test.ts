// Leases of shards and of members that are removed by hand.
import { sleep } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { advanceFenced, byNumber, installedServer, member } from "./lease-server.ts";

test.each([
  ["the lease of a shard", (name: string) => name.includes("slot-")],
  ["the lease of a member", (name: string) => name.endsWith("member-a")],
  ["all leases of shards", (name: string) => name.includes("slot-")],
  ["all leases", () => true],
])("%s removed by hand: its owner keeps the shard until it knows", async (what, isRemoved) => {
  for (let atMs = 0; atMs < 2400; atMs += 300) {
    const server = installedServer();
    const clock = manualClock(0);
    const [a, b] = [member(server, clock, "a").claims, member(server, clock, "b").claims];
    a.start();
    await clock.advance(900);
    b.start();
    await clock.advance(30_000 + atMs);
    expect([a.owned.length, b.owned.length]).toEqual([2, 2]);
    const removed = [...server.leases.keys()].filter(isRemoved);
    for (const name of what.startsWith("the") ? removed.slice(0, 1) : removed) server.leases.delete(name);
    await advanceFenced(clock, [a, b], 40_000);
    expect([a.owned.length, b.owned.length]).toEqual([2, 2]);
    await Promise.all([a.stop(), b.stop()]);
  }
});

test("a new member takes no shard whose lease was removed before it came, while its owner is cut off", async () => {
  const server = installedServer();
  const clock = manualClock(0);
  const [a, b] = [member(server, clock, "a").claims, member(server, clock, "b").claims];
  a.start();
  await clock.advance(10_000);
  expect(a.owned).toHaveLength(4);
  server.cutOff.add("a");
  for (const name of ["autoscaler-member-a", "autoscaler-slot-1", "autoscaler-slot-2"])
    server.leases.delete(name);
  b.start();
  await advanceFenced(clock, [a, b], 60_000);
  expect([a.owned, b.owned]).toEqual([[], [0, 1, 2, 3]]);
  server.cutOff.clear();
  await advanceFenced(clock, [a, b], 20_000);
  expect([a.owned.length, b.owned.length]).toEqual([2, 2]);
  await Promise.all([a.stop(), b.stop()]);
});

test.each([
  ["taken", "zz"],
  ["released", ""],
])(
  "a member whose lease was %s by hand keeps its shards until it knows, and takes the lease back",
  async (_, holderIdentity) => {
    const server = installedServer(5);
    const clock = manualClock(0);
    const members = ["a", "b", "c"].map((name) => member(server, clock, name, 5).claims);
    for (const { start } of members) start();
    await clock.advance(30_000);
    const owned = () => members.map((claims) => claims.owned.length);
    expect(owned()).toEqual([2, 2, 1]);
    for (const isCutOff of [false, true]) {
      if (isCutOff) server.cutOff.add("b");
      server.change("autoscaler-member-b", { holderIdentity });
      await advanceFenced(clock, members, 5000);
      // It is left to its member, which may be alive.
      expect(server.leases.has("autoscaler-member-b")).toBe(true);
      await advanceFenced(clock, members, 35_000);
      server.cutOff.clear();
      await advanceFenced(clock, members, 40_000);
      expect(owned()).toEqual([2, 2, 1]);
      expect(server.leases.get("autoscaler-member-b")?.spec.holderIdentity).toBe("b");
    }
    await Promise.all(members.map(({ stop }) => stop()));
  },
);

test("a shard that was taken, and whose lease was removed, between two rounds of another member has one user", async () => {
  for (const name of [0, 1, 2, 3].map((shard) => `autoscaler-slot-${shard}`)) {
    const server = installedServer();
    const clock = manualClock(0);
    const members = ["a", "b", "c"].map((of) => member(server, clock, of).claims);
    for (const { start } of members) start();
    await advanceFenced(clock, members, 100);
    server.leases.delete(name);
    server.cutOff.add("a");
    await advanceFenced(clock, members, 60_000);
    expect(members.flatMap(({ owned }) => owned).sort(byNumber)).toEqual([0, 1, 2, 3]);
    await Promise.all(members.map(({ stop }) => stop()));
  }
});

test("who owned a shard before it was cut off takes it no more when its lease was removed meanwhile", async () => {
  const server = installedServer(2);
  const clock = manualClock(0);
  const [a, b] = [member(server, clock, "a", 2).claims, member(server, clock, "b", 2).claims];
  a.start();
  await clock.advance(100);
  b.start();
  await clock.advance(5000);
  server.cutOff.add("a");
  for (let ms = 0; ms < 30_000 && b.owned.length < 2; ms += 100) await advanceFenced(clock, [a, b], 100);
  expect(b.owned).toEqual([0, 1]);
  for (const shard of [0, 1]) server.leases.delete(`autoscaler-slot-${shard}`);
  server.cutOff.delete("a");
  server.cutOff.add("b");
  await advanceFenced(clock, [a, b], 60_000);
  expect(a.owned).toEqual([0, 1]);
  await Promise.all([a.stop(), b.stop()]);
});

test("a member whose lease was removed twice, while another was cut off in between, is not lost", async () => {
  const server = installedServer();
  const clock = manualClock(0);
  const members = ["a", "b"].map((of) => member(server, clock, of).claims);
  for (const { start } of members) start();
  await advanceFenced(clock, members, 100);
  server.leases.delete("autoscaler-member-a");
  await advanceFenced(clock, members, 2150);
  server.cutOff.add("b");
  await advanceFenced(clock, members, 8800);
  server.leases.delete("autoscaler-member-a");
  server.cutOff.clear();
  await advanceFenced(clock, members, 20_000);
  expect(members.map(({ owned }) => owned.length)).toEqual([2, 2]);
  await Promise.all(members.map(({ stop }) => stop()));
});

test("a lost member whose lease was removed is found lost, however slow responses are within their timeout", async () => {
  const clock = manualClock(0);
  const server = installedServer(4, () => sleep(clock, 3300));
  const [a, b] = [member(server, clock, "a").claims, member(server, clock, "b").claims];
  for (const { start } of [a, b]) start();
  await advanceFenced(clock, [a, b], 60_000);
  expect(a.owned).toHaveLength(2);
  server.cutOff.add("a");
  for (const name of server.leases.keys()) if (name !== "autoscaler-member-b") server.leases.delete(name);
  await advanceFenced(clock, [a, b], 90_000);
  expect(b.owned).toEqual([0, 1, 2, 3]);
  const stopping = Promise.all([a.stop(), b.stop()]);
  await clock.advance(60_000);
  await stopping;
});

test("who renews but cannot list loses its shards before another may take those whose leases were removed", async () => {
  const server = installedServer();
  const clock = manualClock(0);
  const [a, b] = [member(server, clock, "a").claims, member(server, clock, "b").claims];
  a.start();
  await clock.advance(10_000);
  server.blind.add("a");
  server.leases.delete("autoscaler-slot-3");
  b.start();
  await advanceFenced(clock, [a, b], 60_000);
  expect(a.owned).toEqual([]);
  server.blind.clear();
  await advanceFenced(clock, [a, b], 40_000);
  expect([a.owned.length, b.owned.length]).toEqual([2, 2]);
  await Promise.all([a.stop(), b.stop()]);
});

test.each([
  ["lists", undefined],
  ["is cut off", "cutOff"],
  ["cannot list", "blind"],
] as const)(
  "a new member takes no shard whose lease was removed with all others before it came, while its owner %s",
  async (_, fault) => {
    const server = installedServer();
    const clock = manualClock(0);
    const [a, b] = [member(server, clock, "a").claims, member(server, clock, "b").claims];
    a.start();
    await clock.advance(20_000);
    expect(a.owned).toHaveLength(4);
    if (fault !== undefined) server[fault].add("a");
    server.leases.clear();
    b.start();
    await advanceFenced(clock, [a, b], 50_000);
    expect([...a.owned, ...b.owned].sort(byNumber)).toEqual([0, 1, 2, 3]);
    await Promise.all([a.stop(), b.stop()]);
  },
);
