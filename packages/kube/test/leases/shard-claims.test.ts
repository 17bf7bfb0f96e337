import { sleep } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { planShards } from "../../src/leases/shard-plan.ts";
import { advanceFenced, byNumber, installedServer, leaseServer, member } from "./lease-server.ts";

test("one member takes all shards, a second one its half, and what one releases is used by none meanwhile", async () => {
  const server = installedServer();
  const clock = manualClock(0);
  const a = member(server, clock, "a");
  a.claims.start();
  await clock.advance(100);
  expect(a.claims.owned).toEqual([0, 1, 2, 3]);
  const b = member(server, clock, "b");
  b.claims.start();
  for (let ms = 0; ms < 20_000; ms += 100) {
    await clock.advance(100);
    for (const shard of a.claims.owned) expect(b.claims.owns(shard)).toBe(false);
  }
  expect(a.claims.owned).toHaveLength(2);
  expect([...a.claims.owned, ...b.claims.owned].sort(byNumber)).toEqual([0, 1, 2, 3]);
  await a.claims.stop();
  await clock.advance(5000);
  expect(b.claims.owned).toEqual([0, 1, 2, 3]);
  await b.claims.stop();
});

test("a lost member's shards are taken over within one period of 15 s, and it stops before", async () => {
  const server = installedServer();
  const clock = manualClock(0);
  const a = member(server, clock, "a");
  const b = member(server, clock, "b");
  a.claims.start();
  b.claims.start();
  await clock.advance(20_000);
  expect(a.claims.owned).toHaveLength(2);
  server.cutOff.add("a");
  let ms = 0;
  while (b.claims.owned.length < 4 && ms < 60_000) {
    await clock.advance(100);
    ms += 100;
    for (const shard of a.claims.owned) expect(b.claims.owns(shard)).toBe(false);
  }
  expect(ms).toBeLessThanOrEqual(15_000);
  expect(a.claims.owned).toEqual([]);
  server.cutOff.delete("a");
  await clock.advance(20_000);
  expect(a.claims.owned).toHaveLength(2);
  expect(b.claims.owned).toHaveLength(2);
  await Promise.all([a.claims.stop(), b.claims.stop()]);
});

test("while the server is away for as long as a lease lasts the members stop, and each has its own shards again", async () => {
  for (let aliveMs = 20_000; aliveMs < 22_400; aliveMs += 300) {
    const server = installedServer();
    const clock = manualClock(0);
    const both = ["a", "b"].map((name) => member(server, clock, name));
    for (const { claims } of both) {
      claims.start();
      await clock.advance(700);
    }
    await advanceFenced(
      clock,
      both.map(({ claims }) => claims),
      aliveMs,
    );
    const before = both.map(({ claims }) => claims.owned);
    for (const name of ["a", "b"]) server.cutOff.add(name);
    await advanceFenced(
      clock,
      both.map(({ claims }) => claims),
      10_000,
    );
    server.cutOff.clear();
    await advanceFenced(
      clock,
      both.map(({ claims }) => claims),
      10_000,
    );
    expect(both.map(({ claims }) => claims.owned)).toEqual(before);
    for (const { log } of both)
      expect(log.filter((line) => line.startsWith("+")).length).toBeLessThanOrEqual(8);
    await Promise.all(both.map(({ claims }) => claims.stop()));
  }
});

test("a wall clock that is set back during a renewal delays no other, and costs no shard", async () => {
  const timers = manualClock(1_800_000_000_000);
  let offsetMs = 0;
  const clock = { ...timers, nowMs: () => timers.nowMs() + offsetMs, steadyMs: timers.nowMs };
  const server = installedServer(4, () => sleep(timers, 500, new AbortController().signal));
  const { claims, log } = member(server, clock, "a");
  claims.start();
  await timers.advance(10_000);
  expect(claims.owned).toHaveLength(4);
  for (let hour = 0; hour < 20; hour += 1) {
    offsetMs -= 3_600_000;
    await timers.advance(10_100);
    expect(claims.owned).toHaveLength(4);
  }
  expect(log).toHaveLength(4);
  // The clock does not hide either that the lists fail.
  server.blind.add("a");
  offsetMs -= 3_600_000;
  await timers.advance(25_000);
  expect(claims.owned).toEqual([]);
  const stopped = claims.stop();
  await timers.advance(20_000);
  await stopped;
  expect(timers.pendingTimers).toBe(0);
});

test("leases of members that are gone for good are removed", async () => {
  const server = leaseServer();
  const clock = manualClock(0);
  const a = member(server, clock, "a");
  const b = member(server, clock, "b");
  a.claims.start();
  b.claims.start();
  await clock.advance(10_000);
  server.cutOff.add("b");
  await clock.advance(40_000);
  expect([...server.leases.keys()].filter((name) => name.includes("member"))).toEqual([
    "autoscaler-member-a",
  ]);
  await Promise.all([a.claims.stop(), b.claims.stop()]);
});

test("more shards than before are all taken, also beside others", async () => {
  const server = leaseServer();
  const clock = manualClock(0);
  const [a, b] = [member(server, clock, "a", 2).claims, member(server, clock, "b", 6).claims];
  a.start();
  await clock.advance(10_000);
  b.start();
  await clock.advance(10_000);
  await a.stop();
  await clock.advance(30_000);
  expect(b.owned).toEqual([0, 1, 2, 3, 4, 5]);
  await b.stop();
});

test("shards of a new installation are all used after twice the lease duration and two rounds", async () => {
  const server = leaseServer();
  const clock = manualClock(0);
  const members = ["a", "b"].map((name) => member(server, clock, name).claims);
  for (const { start } of members) start();
  await advanceFenced(clock, members, 19_000);
  expect(members.flatMap(({ owned }) => owned)).toEqual([]);
  await advanceFenced(clock, members, 6000);
  expect(members.map(({ owned }) => owned.length)).toEqual([2, 2]);
  await Promise.all(members.map(({ stop }) => stop()));
});

/** What another client does to a lease. */
const edits: Readonly<Record<string, (server: ReturnType<typeof leaseServer>, name: string) => void>> = {
  remove: ({ leases }, name) => void leases.delete(name),
  steal: (server, name) => server.change(name, { holderIdentity: "zz" }),
  release: (server, name) => server.change(name, { holderIdentity: "" }),
  "give to a member": (server, name) => server.change(name, { holderIdentity: "b" }),
  "steal without labels": (server, name) => server.change(name, { holderIdentity: "zz" }, {}),
};

test("whatever is cut off, removed or rewritten, and when, no shard has two users, and all are used in the end", async () => {
  const names = ["a", "b", "c"];
  const leases = [0, 1, 2, 3, 4].map((shard) => `autoscaler-slot-${shard}`);
  const fault = fc.record({
    what: fc.constantFrom(...names, ...leases, ...names.map((name) => `autoscaler-member-${name}`)),
    forMs: fc.integer({ min: 100, max: 30_000 }),
    edit: fc.constantFrom(...Object.keys(edits)),
    everyMs: fc.constantFrom(100, 300, 1000, 2500, Number.POSITIVE_INFINITY),
  });
  await assertProperty(
    fc.asyncProperty(fc.boolean(), fc.array(fault, { maxLength: 8 }), async (isNew, faults) => {
      const server = isNew ? leaseServer() : installedServer(5);
      const clock = manualClock(0);
      const members = names.map((name) => member(server, clock, name, 5).claims);
      for (const { start } of members) start();
      for (const { what, forMs, edit, everyMs } of faults) {
        if (server.cutOff.has(what)) server.cutOff.delete(what);
        else if (names.includes(what)) server.cutOff.add(what);
        for (let ms = 0; ms < forMs; ms += everyMs) {
          if (!names.includes(what)) edits[edit]?.(server, what);
          await advanceFenced(clock, members, Math.min(everyMs, forMs - ms));
        }
      }
      server.cutOff.clear();
      await advanceFenced(clock, members, 90_000);
      expect(members.flatMap(({ owned }) => owned).sort(byNumber)).toEqual([0, 1, 2, 3, 4]);
      expect(members.map(({ owned }) => owned.length).sort(byNumber)).toEqual([1, 2, 2]);
      await Promise.all(members.map(({ stop }) => stop()));
    }),
    {
      numRuns: 15,
      examples: [
        [
          false,
          [
            { what: "autoscaler-slot-1", forMs: 2201, edit: "remove", everyMs: 100 },
            { what: "autoscaler-slot-1", forMs: 100, edit: "give to a member", everyMs: 100 },
          ],
        ],
      ],
    },
  );
});

const lostBy = (members: Iterable<ReturnType<typeof member>>) =>
  [...members].flatMap(({ log }) => log.filter((line) => line.startsWith("-")));

test("when members die, no shard of a live member changes its owner, and shares differ by one at most", async () => {
  const death = fc.record({ of: fc.nat(), afterMs: fc.integer({ min: 0, max: 20_000 }) });
  const cases = fc.record({
    shards: fc.integer({ min: 1, max: 20 }),
    startsMs: fc.array(fc.integer({ min: 0, max: 15_000 }), { minLength: 2, maxLength: 6 }),
    latencyMs: fc.constantFrom(0, 20, 300),
    deaths: fc.array(death, { minLength: 1, maxLength: 3 }),
  });
  await assertProperty(
    fc.asyncProperty(cases, async ({ shards, startsMs, latencyMs, deaths }) => {
      const clock = manualClock(0);
      const server = leaseServer(() => sleep(clock, latencyMs, new AbortController().signal));
      const members = startsMs.map((_, index) => member(server, clock, `m${index}`, shards));
      for (const [index, { claims }] of members.entries()) clock.after(startsMs[index] ?? 0, claims.start);
      await clock.advance(80_000);
      const live = new Set(members);
      for (const { log } of live) log.length = 0;
      for (const { of, afterMs } of deaths) {
        const dead = [...live][of % live.size];
        if (dead === undefined || live.size === 1) break;
        server.cutOff.add(`m${members.indexOf(dead)}`);
        live.delete(dead);
        await clock.advance(afterMs);
        expect(lostBy(live)).toEqual([]);
      }
      await clock.advance(60_000);
      expect(lostBy(live)).toEqual([]);
      const owned = [...live].map(({ claims }) => claims.owned.length);
      expect(owned.reduce((sum, count) => sum + count, 0)).toBe(shards);
      expect(Math.max(...owned) - Math.min(...owned)).toBeLessThanOrEqual(1);
      const stopped = Promise.all(members.map(({ claims }) => claims.stop()));
      await clock.advance(30_000);
      await stopped;
    }),
    {
      numRuns: 40,
      examples: [[{ shards: 8, startsMs: [0, 0, 0], latencyMs: 0, deaths: [{ of: 0, afterMs: 0 }] }]],
    },
  );
});

test.each([200, 1000, 3000])(
  "64 shards with %i ms a request: each is gained once and kept, and a second member gets its half",
  async (latencyMs) => {
    const clock = manualClock(0);
    const server = installedServer(64, () => sleep(clock, latencyMs, new AbortController().signal));
    const a = member(server, clock, "a", 64);
    a.claims.start();
    await clock.advance(latencyMs * 40);
    expect(a.claims.owned).toHaveLength(64);
    await clock.advance(60_000);
    expect(a.log.filter((line) => line.startsWith("-"))).toEqual([]);
    expect(new Set(a.log).size).toBe(64);
    expect(a.log).toHaveLength(64);
    expect(server.maxAtOnce).toBeLessThanOrEqual(10);

    const b = member(server, clock, "b", 64);
    b.claims.start();
    for (let ms = 0; ms < latencyMs * 80; ms += 1000) {
      await clock.advance(1000);
      for (const shard of a.claims.owned) expect(b.claims.owns(shard)).toBe(false);
    }
    expect([a.claims.owned.length, b.claims.owned.length]).toEqual([32, 32]);
    expect(a.log).toHaveLength(64 + 32);
    expect(b.log).toHaveLength(32);
    const stopped = Promise.all([a.claims.stop(), b.claims.stop()]);
    await clock.advance(latencyMs * 40);
    await stopped;
    for (const { spec } of server.leases.values()) expect(spec.holderIdentity).toBe("");
  },
);

test("shares differ by one at most", () => {
  const shards = Array.from({ length: 7 }, (_, shard) => ({
    shard,
    lease: undefined,
    owner: "",
    isMarked: true,
    isFree: true,
  }));
  const shares = ["a", "b", "c"].map(
    (identity) =>
      planShards({ identity, shards, live: new Set(["a", "b", "c"]), owned: new Set() }).wanted.length,
  );
  expect(shares).toEqual([3, 2, 2]);
});
