import { sleep } from "@plimsoll/component-base";
import { type ManualClock, manualClock } from "@plimsoll/component-base/testing";
import { createElector, type Elector, type KubeClient } from "@plimsoll/kube";
import { apiError } from "@plimsoll/testbed/world/cluster";
import { expect, test } from "vitest";
import { leaseServer } from "./one-lease.ts";

const long = { leaseDurationMs: 10_000, renewDeadlineMs: 6667, retryPeriodMs: 1667 };
const times = { leaseDurationMs: 3000, renewDeadlineMs: 2500, retryPeriodMs: 500 };

/** Each request arrives, and each response comes back, this much later. */
function slow(client: KubeClient, clock: ManualClock, ms: number): KubeClient {
  return {
    ...client,
    async request(request) {
      await sleep(clock, ms);
      try {
        return await client.request(request);
      } finally {
        await sleep(clock, ms);
      }
    },
  };
}

function group(
  count: number,
  oneWayMs: number,
  durations = times,
  { clock, server } = { clock: manualClock(1_800_000_000_000), server: leaseServer() },
) {
  const log: string[] = [];
  const join = (name: string, identity: string, wrap = (client: KubeClient) => client) => {
    let seed = name.length + Number(name.replace(/\D/g, "")) * 7919;
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    const elector = createElector({
      client: slow(wrap(server.client(name)), clock, oneWayMs),
      namespace: "ns",
      name: "main",
      identity,
      isShared: true,
      clock,
      random,
      ...durations,
      onStarted: () => log.push(`${name} started`),
      onStopped: () => void log.push(`${name} stopped`),
    });
    elector.start();
    return elector;
  };
  const members = Array.from({ length: count }, (_, n) => join(`m${n}`, "4 shards"));
  return { clock, server, log, join, members };
}

async function stopAll(clock: ManualClock, electors: readonly Elector[]): Promise<void> {
  const stops = electors.map((elector) => elector.stop());
  await clock.advance(5000);
  await Promise.all(stops);
}

test.each([
  { count: 10, oneWayMs: 10 },
  { count: 10, oneWayMs: 100 },
  { count: 40, oneWayMs: 25 },
  { count: 30, oneWayMs: 250 },
  { count: 30, oneWayMs: 250, durations: long },
])(
  "$count processes that share a lease keep it when a request takes $oneWayMs ms each way",
  async ({ count, oneWayMs, durations }) => {
    const { clock, log, members } = group(count, oneWayMs, durations);
    await clock.advance(60_000);
    expect(members.filter(({ isLeader }) => isLeader)).toHaveLength(count);
    log.length = 0;
    for (let n = 0; n < 300; n++) {
      await clock.advance(1000);
      expect(members.filter(({ isLeader }) => isLeader)).toHaveLength(count);
    }
    expect(log).toEqual([]);
    await stopAll(clock, members);
  },
);

test.each([1, 2, 3, 4, 5, 6])("whoever is cut off, two groups never lead at a time (%d)", async (seed) => {
  const { clock, server, join, members } = group(6, 60);
  const others = [7, 8, 9].map((n) => join(`o${n}`, "8 shards"));
  const names = ["m0", "m1", "m2", "m3", "m4", "m5", "o7", "o8", "o9"];
  let random = seed;
  const next = (below: number) => (random = (random * 48_271) % 2_147_483_647) % below;
  const led = { members: 0, others: 0 };
  for (let n = 0; n < 6000; n++) {
    await clock.advance(100);
    const [one, other] = [members, others].map((all) => all.some(({ isLeader }) => isLeader));
    expect(one === true && other === true).toBe(false);
    if (one === true) led.members++;
    if (other === true) led.others++;
    if (next(40) > 0) continue;
    const broken = next(2) === 0 ? server.cutOff : server.deaf;
    broken.clear();
    // Now and then all of a group, so that the other one gets its turn.
    if (next(3) === 0)
      for (const name of names.filter((one) => one.startsWith("mo"[next(2)] ?? ""))) broken.add(name);
    else for (let count = next(5); count > 0; count--) broken.add(names[next(names.length)] ?? "");
  }
  expect(led.members + led.others).toBeGreaterThan(1000);
  await stopAll(clock, [...members, ...others]);
});

test("ten processes write a shared lease about as often as one does, and each reads it once in a retry period", async () => {
  const { clock, join, members } = group(0, 10);
  const requests: string[] = [];
  const counted = (client: KubeClient): KubeClient => ({
    ...client,
    request(request) {
      requests.push(request.method ?? "GET");
      return client.request(request);
    },
  });
  const joined = Array.from({ length: 10 }, (_, n) => join(`m${n}`, "4 shards", counted));
  await clock.advance(60_000);
  const periods = 60_000 / times.retryPeriodMs;
  const writes = requests.filter((method) => method !== "GET").length;
  expect(writes).toBeLessThan(3 * periods);
  expect(requests.length - writes).toBeLessThan(11 * periods);
  await stopAll(clock, [...joined, ...members]);
});

test("who shares a lease does not shorten it for a member that counts on more", async () => {
  const { clock, server, join, members } = group(0, 10);
  const slower = group(1, 10, long, { clock, server });
  await clock.advance(5000);
  const faster = join("m9", "4 shards");
  await clock.advance(60_000);
  expect(faster.isLeader).toBe(true);
  expect(server.lease?.spec.leaseDurationSeconds).toBe(10);
  await stopAll(clock, [faster, ...members, ...slower.members]);
});

test("who takes a lease over from others goes by its own times", async () => {
  const { clock, server, join } = group(0, 10, long);
  const former = join("o1", "8 shards");
  await clock.advance(5000);
  expect(server.lease?.spec.leaseDurationSeconds).toBe(10);
  await stopAll(clock, [former]);
  const next = group(1, 10, times, { clock, server }).members;
  await clock.advance(20_000);
  expect(server.lease?.spec).toMatchObject({ holderIdentity: "4 shards", leaseDurationSeconds: 3 });
  await stopAll(clock, next);
});

test("a shared lease that is removed costs no leadership", async () => {
  const { clock, server, log, members } = group(3, 10);
  await clock.advance(20_000);
  server.remove();
  await clock.advance(20_000);
  expect(members.filter(({ isLeader }) => isLeader)).toHaveLength(3);
  expect(log.filter((line) => line.endsWith("stopped"))).toEqual([]);
  await stopAll(clock, members);
});

test.each([
  { oneWayMs: 10, stopsMs: undefined, log: ["late started", "late stopped"] },
  // It looked last more than the renew deadline ago.
  { oneWayMs: 1500, stopsMs: undefined, log: [] },
  // It stops while it looks for the second time.
  { oneWayMs: 200, stopsMs: 1300, log: [] },
])(
  "who cannot write the lease, with $oneWayMs ms each way, and stops after $stopsMs ms: $log",
  async (row) => {
    const one = group(1, 10);
    await one.clock.advance(20_000);
    const { clock, log, join } = group(0, row.oneWayMs, times, one);
    const late = join("late", "4 shards", (client) => ({
      ...client,
      request(request) {
        if (request.method !== undefined && request.method !== "GET") throw apiError(500, "InternalError");
        return client.request(request);
      },
    }));
    await clock.advance(row.stopsMs ?? 20_000);
    expect(late.leader).toBe("4 shards");
    await stopAll(clock, [late, ...one.members]);
    expect(log).toEqual(row.log);
  },
);

test("a process that reads the lease and cannot write it leads as long as another renews it, and no longer", async () => {
  const { clock, server, log, join, members } = group(1, 10);
  let isRefused = false;
  const reader = join("reader", "4 shards", (client) => ({
    ...client,
    request: (request) => {
      if (isRefused && request.method !== undefined && request.method !== "GET")
        throw apiError(500, "InternalError");
      return client.request(request);
    },
  }));
  await clock.advance(20_000);
  expect(reader.isLeader).toBe(true);
  isRefused = true;
  await clock.advance(60_000);
  expect(reader.isLeader).toBe(true);
  server.cutOff.add("m0");
  let ms = 0;
  for (; reader.isLeader; ms += 10) await clock.advance(10);
  expect(ms).toBeLessThanOrEqual(times.renewDeadlineMs + times.retryPeriodMs);
  expect(log).toContain("reader stopped");
  await clock.advance(60_000);
  expect(log.filter((line) => line.startsWith("reader"))).toEqual(["reader started", "reader stopped"]);
  await stopAll(clock, [reader, ...members]);
});
