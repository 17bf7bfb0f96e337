// What a member requests in each round.
import { sleep } from "@plimsoll/component-base";
import { type ManualClock, manualClock } from "@plimsoll/component-base/testing";
import type { Lease } from "@plimsoll/kube";
import { fakeClient } from "@plimsoll/testbed/world/cluster";
import { expect, test } from "vitest";
import { installedServer, leaseServer, member } from "./lease-server.ts";

/** A member with when and how it requested which lease; each request waits for the hook. */
function watched(
  server: ReturnType<typeof leaseServer>,
  clock: ManualClock,
  options: { identity?: string; shards?: number; hook?: (what: string) => Promise<void> } = {},
) {
  const { identity = "a", shards = 4, hook } = options;
  const requests: string[] = [];
  const own = server.client(identity);
  const client = () =>
    fakeClient(async (request) => {
      const { method = "GET", path, body } = request;
      const name = path.split("/")[7] ?? (body as Lease | undefined)?.metadata.name ?? "all";
      const what = `${method} ${name.replace("autoscaler-", "")}`;
      requests.push(`${clock.nowMs()} ${what}`);
      await hook?.(what);
      return await own.request(request);
    });
  return { ...member({ ...server, client }, clock, identity, shards), requests };
}

test("a member renews and lists every period and up to a fifth more, and writes what changes", async () => {
  const clock = manualClock(0);
  const server = installedServer(2);
  const { claims, requests } = watched(server, clock, { shards: 2 });
  claims.start();
  await clock.advance(2200);
  expect(requests).toEqual([
    "0 GET member-a",
    "0 POST member-a",
    "0 GET all",
    "0 PUT slot-0",
    "0 PUT slot-1",
    "2200 PUT member-a",
    "2200 GET all",
  ]);
  requests.length = 0;
  await claims.stop();
  claims.start();
  await clock.advance(5000);
  expect(requests).toEqual(["2200 PUT slot-0", "2200 PUT slot-1", "2200 PUT member-a"]);
  expect(clock.pendingTimers).toBe(0);
  for (const name of ["slot-0", "member-a"])
    expect(server.leases.get(`autoscaler-${name}`)?.spec).toMatchObject({
      holderIdentity: "",
      leaseTransitions: expect.any(Number),
    });
});

test("a renewal waits for the time since the last one began, a division for that since the last one ended", async () => {
  const clock = manualClock(0);
  const server = installedServer(1, () => sleep(clock, 500));
  const { claims, requests } = watched(server, clock, { shards: 1 });
  claims.start();
  await clock.advance(7000);
  const times = (what: string) => requests.filter((text) => text.endsWith(what)).map(Number.parseFloat);
  expect(times("PUT member-a")).toEqual([3200, 5400]);
  expect(times("GET all")).toEqual([1000, 4200, 6900]);
  const stopped = claims.stop();
  await clock.advance(5000);
  await stopped;
});

test("a round creates, claims and releases 32 leases of shards at most, and a stop releases all", async () => {
  const clock = manualClock(0);
  const server = installedServer(70);
  const [a, b] = ["a", "b"].map((identity) => watched(server, clock, { identity, shards: 70 }));
  const perRound = () => {
    const times = a?.requests.filter((text) => text.includes("PUT slot-")).map(Number.parseFloat) ?? [];
    return [...new Set(times)].map((time) => times.filter((one) => one === time).length);
  };
  a?.claims.start();
  await clock.advance(5000);
  expect(perRound()).toEqual([32, 32, 6]);
  b?.claims.start();
  await clock.advance(20_000);
  expect(perRound()).toEqual([32, 32, 6, 32, 3]);
  expect([a?.claims.owned.length, b?.claims.owned.length]).toEqual([35, 35]);
  await a?.claims.stop();
  expect(perRound()).toEqual([32, 32, 6, 32, 3, 35]);
  await b?.claims.stop();

  const first = watched(leaseServer(), clock, { shards: 70 });
  first.claims.start();
  await clock.advance(5000);
  expect(first.requests.filter((text) => text.includes("POST slot-"))).toHaveLength(70);
  expect(first.requests.filter((text) => text.startsWith("25000 POST slot-"))).toHaveLength(32);
  await first.claims.stop();
  expect(clock.pendingTimers).toBe(0);
});

test("a round writes 8 leases of shards at a time, and begins no more once the renew deadline has passed", async () => {
  const clock = manualClock(0);
  let isSlow = true;
  const slow = async (what: string) => {
    if (isSlow && what.includes("slot")) await sleep(clock, 3000);
  };
  const timesOf = (requests: readonly string[]) =>
    requests.filter((text) => text.includes(" slot-")).map(Number.parseFloat);
  const inEights = (...times: number[]) => times.flatMap((time) => Array.from({ length: 8 }, () => time));
  for (const server of [installedServer(32), leaseServer()]) {
    const startMs = clock.nowMs();
    const { claims, requests } = watched(server, clock, { shards: 32, hook: slow });
    claims.start();
    await clock.advance(13_000);
    expect(timesOf(requests)).toEqual(inEights(startMs, startMs + 3000, startMs + 6000, startMs + 11_200));
    const stopped = claims.stop();
    await clock.advance(60_000);
    await stopped;
  }
  isSlow = false;
  const server = installedServer(64);
  const { claims, requests } = watched(server, clock, { shards: 64, hook: slow });
  const startMs = clock.nowMs();
  claims.start();
  await clock.advance(4500);
  isSlow = true;
  requests.length = 0;
  const other = member(server, clock, "b", 64).claims;
  other.start();
  await clock.advance(18_000);
  expect(timesOf(requests).map((ms) => ms - startMs)).toEqual(inEights(8800, 11_800, 14_800, 20_000));
  const stopped = Promise.all([claims.stop(), other.stop()]);
  await clock.advance(60_000);
  await stopped;
});

test("a member creates its own lease alone, and one of the living removes that of a lost member", async () => {
  const clock = manualClock(0);
  const server = installedServer(2);
  const members = ["c", "b", "a"].map((identity) => watched(server, clock, { identity, shards: 2 }));
  for (const { claims } of members) claims.start();
  await clock.advance(10_000);
  server.cutOff.add("c");
  await clock.advance(40_000);
  const changes = members.map(({ requests }) => requests.filter((text) => /POST|DELETE/u.test(text)));
  expect(changes).toEqual([
    ["0 POST member-c"],
    ["0 POST member-b"],
    ["0 POST member-a", "19800 DELETE member-c"],
  ]);
  await Promise.all(members.map(({ claims }) => claims.stop()));
});

test("who cannot renew its own lease does not look at others", async () => {
  const clock = manualClock(0);
  const server = installedServer();
  server.unreadable.add("autoscaler-member-a");
  const { claims, requests, errors } = watched(server, clock);
  claims.start();
  await clock.advance(3000);
  expect(requests).toEqual(["0 GET member-a", "2200 GET member-a"]);
  expect(errors).toEqual(["403 Forbidden", "403 Forbidden"]);
  await claims.stop();
  expect(requests).toHaveLength(2);
});

test.each([
  { tookMs: 12_900, awayMs: 0, log: ["+0"] },
  // The list that showed the shard free is too old.
  { tookMs: 13_100, awayMs: 0, log: [] },
  // The membership lapsed meanwhile, and was renewed.
  { tookMs: 9000, awayMs: 7500, log: [] },
])("a claim that took $tookMs ms, the server being away for $awayMs ms: $log", async (row) => {
  const clock = manualClock(0);
  const server = installedServer(1);
  const hook = async (what: string) => {
    if (what.includes("slot")) await sleep(clock, row.tookMs);
    else if (what === "PUT member-a" && clock.nowMs() < row.awayMs) throw new Error("away");
  };
  const { claims, log, requests } = watched(server, clock, { shards: 1, hook });
  claims.start();
  await clock.advance(row.tookMs);
  expect([log, claims.owned]).toEqual([row.log, row.log.length > 0 ? [0] : []]);
  await clock.advance(2200);
  // What it may not use it releases in the next round.
  expect(requests.filter((text) => text.endsWith("PUT slot-0"))).toHaveLength(2 - row.log.length);
  const stopped = claims.stop();
  await clock.advance(60_000);
  await stopped;
});

test("who stops while it claims a shard does not use it, and releases it", async () => {
  const clock = manualClock(0);
  const server = installedServer(1, () => sleep(clock, 100));
  const { claims, log } = watched(server, clock, { shards: 1 });
  claims.start();
  await clock.advance(350);
  const stopped = claims.stop();
  await clock.advance(5000);
  await stopped;
  expect(log).toEqual([]);
  expect(server.leases.get("autoscaler-slot-0")?.spec.holderIdentity).toBe("");
});

test("who owned nothing and could not list for long takes its share afterwards", async () => {
  const clock = manualClock(0);
  const server = installedServer(4, () => sleep(clock, 100));
  const { claims, log } = watched(server, clock);
  claims.start();
  await clock.advance(250);
  server.blind.add("a");
  await clock.advance(60_000);
  expect(log).toEqual([]);
  server.blind.clear();
  await clock.advance(5000);
  expect(claims.owned).toEqual([0, 1, 2, 3]);
  const stopped = claims.stop();
  await clock.advance(5000);
  await stopped;
});

test("a process that was suspended uses no shard when it wakes, though its timers are late", async () => {
  const timers = manualClock(0);
  let nowMs = 0;
  const { claims } = member(installedServer(), { nowMs: () => nowMs, after: timers.after }, "a");
  claims.start();
  await timers.advance(100);
  expect([claims.owned, claims.owns(0)]).toEqual([[0, 1, 2, 3], true]);
  nowMs = 7000;
  expect([claims.owned, claims.owns(0)]).toEqual([[], false]);
  await claims.stop();
});

test("a process that was suspended while it claimed a shard does not use it when it wakes", async () => {
  const timers = manualClock(0);
  let nowMs = 0;
  const server = installedServer(1, () => sleep(timers, 100));
  const { claims, log } = member(server, { nowMs: () => nowMs, after: timers.after }, "a", 1);
  claims.start();
  await timers.advance(350);
  nowMs = 7000;
  await timers.advance(100);
  expect(log).toEqual([]);
  const stopped = claims.stop();
  await timers.advance(5000);
  await stopped;
});

test("the lease of a member has a name that the API takes, whatever its identity is", async () => {
  const clock = manualClock(0);
  const server = installedServer(1);
  const { claims } = member(server, clock, "Web_1:8080/x", 1);
  claims.start();
  await clock.advance(100);
  expect(server.leases.get("autoscaler-member-web-1-8080-x")?.spec.holderIdentity).toBe("Web_1:8080/x");
  expect(claims.owned).toEqual([0]);
  await claims.stop();
});
