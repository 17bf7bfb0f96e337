import { sleep } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import { ConnectionError, createElector, type ElectorOptions } from "@plimsoll/kube";
import { fakeClient } from "@plimsoll/testbed/world/cluster";
import { expect, test } from "vitest";
import { candidate, leaseServer } from "./one-lease.ts";

const setUp = () => ({ clock: manualClock(0), server: leaseServer() });

test("one of many leads; when it leaves, another does so at once and not before the first has stopped", async () => {
  const { clock, server } = setUp();
  const all = ["a", "b", "c"].map((identity) => candidate(server, clock, identity));
  for (const { elector } of all) elector.start();
  await clock.advance(10_000);
  expect(all.filter(({ elector }) => elector.isLeader)).toHaveLength(1);
  const first = all.find(({ elector }) => elector.isLeader);
  expect(first?.log).toEqual(["started 0"]);
  expect(new Set(all.map(({ elector }) => elector.leader)).size).toBe(1);
  await clock.advance(600_000);
  expect(first?.elector.isLeader).toBe(true);
  await first?.elector.stop();
  expect(first?.log).toEqual(["started 0", "lost", "stopped"]);
  expect(server.lease?.spec).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
  await clock.advance(4000);
  const second = all.filter(({ elector }) => elector.isLeader);
  expect(second).toHaveLength(1);
  expect(second[0]).not.toBe(first);
  expect(second[0]?.log).toEqual(["started 1"]);
  await Promise.all(all.map(({ elector }) => elector.stop()));
  expect(server.lease?.spec.leaseTransitions).toBeGreaterThanOrEqual(1);
  expect(clock.pendingTimers).toBe(0);
});

test("a leader that is cut off stops before another may begin", async () => {
  const { clock, server } = setUp();
  const history: string[] = [];
  const watch = (name: string): Partial<ElectorOptions> => ({
    onStarted: () => history.push(`${name} starts ${String(clock.nowMs())}`),
    onStopped: () => void history.push(`${name} stops ${String(clock.nowMs())}`),
  });
  const a = candidate(server, clock, "a", watch("a"));
  const b = candidate(server, clock, "b", watch("b"));
  a.elector.start();
  await clock.advance(1000);
  b.elector.start();
  await clock.advance(9500);
  server.cutOff.add("a");
  for (let i = 0; i < 400; i += 1) {
    await clock.advance(100);
    expect(a.elector.isLeader && b.elector.isLeader).toBe(false);
  }
  // The last renewal was at 10 s.
  expect(history.slice(0, 2)).toEqual(["a starts 0", "a stops 20000"]);
  expect(history[2]).toMatch(/^b starts 2[5-9]\d\d\d$/);
  server.cutOff.clear();
  await clock.advance(60_000);
  expect(a.elector.isLeader).toBe(false);
  expect(a.elector.leader).toBe("b");
  await Promise.all([a.elector.stop(), b.elector.stop()]);
});

/** As the autoscaler has them by default. */
const short = { leaseDurationMs: 3000, renewDeadlineMs: 2500, retryPeriodMs: 500 };

test("whenever a leader is cut off, another leads within 3.8 s, and not before the first has stopped", async () => {
  for (let aliveMs = 10_000; aliveMs < 11_000; aliveMs += 70) {
    const { clock, server } = setUp();
    const [a, b, c] = ["a", "b", "c"].map((name, n) =>
      candidate(server, clock, name, { ...short, random: () => (n * aliveMs) % 1 }),
    );
    if (a === undefined || b === undefined || c === undefined) throw new Error("there are three");
    a.elector.start();
    await clock.advance(330);
    b.elector.start();
    c.elector.start();
    await clock.advance(aliveMs);
    server.cutOff.add("a");
    let ms = 0;
    for (; ms < 10_000 && !(b.elector.isLeader || c.elector.isLeader); ms += 10) {
      await clock.advance(10);
      expect([a, b, c].filter(({ elector }) => elector.isLeader).length).toBeLessThanOrEqual(1);
    }
    expect(ms).toBeLessThanOrEqual(3800);
    server.cutOff.clear();
    await Promise.all([a, b, c].map(({ elector }) => elector.stop()));
  }
});

test("one request without a response, and slow ones, cost no leadership", async () => {
  const { clock, server } = setUp();
  let tookMs = 0;
  const client = server.client("a");
  const { elector, log } = candidate(server, clock, "a", {
    ...short,
    client: {
      ...client,
      async request(request) {
        const isLost = tookMs > (request.timeoutMs ?? Number.POSITIVE_INFINITY);
        await sleep(clock, Math.min(tookMs, request.timeoutMs ?? tookMs), new AbortController().signal);
        if (isLost) throw new ConnectionError("timeout", "lost");
        return client.request(request);
      },
    },
  });
  elector.start();
  await clock.advance(5000);
  for (let n = 0; n < 20; n++) {
    tookMs = 5000;
    // The next request is lost, and none after it.
    await clock.advance(500);
    tookMs = 10;
    await clock.advance(10_000);
  }
  tookMs = 1200;
  await clock.advance(60_000);
  expect(log).toEqual(["started 0"]);
  tookMs = 0;
  await clock.advance(2000);
  await elector.stop();
});

test("while no client can write for 3 s the leader stops, and it leads again: no other takes over", async () => {
  for (let aliveMs = 10_000; aliveMs < 10_500; aliveMs += 50) {
    const { clock, server } = setUp();
    const a = candidate(server, clock, "a", short);
    const b = candidate(server, clock, "b", short);
    a.elector.start();
    await clock.advance(330);
    b.elector.start();
    await clock.advance(aliveMs);
    server.cutOff.add("a").add("b");
    await clock.advance(3000);
    expect(a.elector.isLeader).toBe(false);
    server.cutOff.clear();
    await clock.advance(1000);
    expect(a.elector.isLeader).toBe(true);
    expect(b.log).toEqual([]);
    await Promise.all([a.elector.stop(), b.elector.stop()]);
  }
});

test("a leader whose responses are lost releases leadership although its renewals arrive", async () => {
  const { clock, server } = setUp();
  const errors: unknown[] = [];
  const { elector, log } = candidate(server, clock, "a", { onError: (error) => errors.push(error) });
  elector.start();
  await clock.advance(1000);
  server.deaf.add("a");
  await clock.advance(11_000);
  expect(elector.isLeader).toBe(false);
  expect(log).toEqual(["started 0", "lost", "stopped"]);
  expect(errors.length).toBeGreaterThan(2);
  server.deaf.clear();
  await clock.advance(4000);
  expect(log).toEqual(["started 0", "lost", "stopped", "started 0"]);
  await elector.stop();
});

test("a lease that another client overwrote ends the leadership at the next renewal", async () => {
  const { clock, server } = setUp();
  const { elector, log } = candidate(server, clock, "a");
  elector.start();
  await clock.advance(1000);
  server.rob("thief");
  await clock.advance(2000);
  expect(log).toEqual(["started 0", "lost", "stopped"]);
  expect(elector.leader).toBe("thief");
  await elector.stop();
  expect(server.lease?.spec.holderIdentity).toBe("thief");
});

test("the leader does not start again before what it stopped has ended", async () => {
  const { clock, server } = setUp();
  const log: string[] = [];
  const { elector } = candidate(server, clock, "a", {
    onStarted: () => log.push("started"),
    onStopped: () =>
      new Promise((resolve) => {
        clock.after(30_000, () => {
          log.push("stopped");
          resolve();
        });
      }),
  });
  elector.start();
  await clock.advance(100);
  server.cutOff.add("a");
  await clock.advance(11_000);
  server.cutOff.clear();
  await clock.advance(20_000);
  expect(log).toEqual(["started"]);
  await clock.advance(20_000);
  expect(log).toEqual(["started", "stopped", "started"]);
  const stopped = elector.stop();
  await clock.advance(29_000);
  expect(server.lease?.spec.holderIdentity).toBe("a");
  await clock.advance(1000);
  await stopped;
  expect(server.lease?.spec.holderIdentity).toBe("");
});

test("a process that was suspended does not take itself for the leader, even if its wall clock is set back", async () => {
  for (const wallMs of [16_000, -100_000]) {
    const { clock: timers, server } = setUp();
    const now = { wallMs: 0, steadyMs: 0 };
    const clock = { nowMs: () => now.wallMs, steadyMs: () => now.steadyMs, after: timers.after };
    const client = server.client("a");
    const onStarted = () => undefined;
    const elector = createElector({ client, namespace: "ns", name: "main", identity: "a", clock, onStarted });
    elector.start();
    await timers.advance(1000);
    expect(elector.isLeader).toBe(true);
    // Timers are late, and the wall clock may not say so.
    Object.assign(now, { wallMs, steadyMs: 16_000 });
    expect(elector.isLeader).toBe(false);
    await elector.stop();
  }
});

test("a lost leader whose lease was removed is followed, however slow responses are within their timeout", async () => {
  const { clock, server } = setUp();
  const a = candidate(server, clock, "a");
  const { request } = server.client("b");
  const client = fakeClient(async (wanted) => {
    await sleep(clock, 4900);
    return await request(wanted);
  });
  const b = candidate(server, clock, "b", { client, random: () => 0.9, leaseDurationMs: 11_000 });
  a.elector.start();
  await clock.advance(100);
  b.elector.start();
  await clock.advance(20_000);
  expect(b.elector.leader).toBe("a");
  server.cutOff.add("a");
  server.remove();
  await clock.advance(60_000);
  expect(b.elector.isLeader).toBe(true);
  const stopping = Promise.all([a.elector.stop(), b.elector.stop()]);
  await clock.advance(60_000);
  await stopping;
});

test("a lease that was removed by hand is not taken before its owner knows, nor given up by it", async () => {
  for (let atMs = 0; atMs < 3000; atMs += 250) {
    const { clock, server } = setUp();
    const [a, b] = [candidate(server, clock, "a"), candidate(server, clock, "b")];
    a.elector.start();
    await clock.advance(100);
    b.elector.start();
    await clock.advance(20_000 + atMs);
    server.remove();
    for (let ms = 0; ms < 10_000; ms += 50) {
      await clock.advance(50);
      expect(a.elector.isLeader && b.elector.isLeader).toBe(false);
    }
    expect(a.log).toEqual(["started 0"]);
    server.cutOff.add("a");
    server.remove();
    for (let ms = 0; ms < 20_000; ms += 50) {
      await clock.advance(50);
      expect(a.elector.isLeader && b.elector.isLeader).toBe(false);
    }
    expect(b.elector.isLeader).toBe(true);
    await Promise.all([a.elector.stop(), b.elector.stop()]);
  }
});

test("a candidate that never saw the lease that was removed takes it at once: its owner ends by its renew deadline", async () => {
  const renewDeadlineMs = 10_000;
  for (const isCutOff of [false, true]) {
    const { clock, server } = setUp();
    const [a, b] = [candidate(server, clock, "a", { renewDeadlineMs }), candidate(server, clock, "b")];
    a.elector.start();
    await clock.advance(20_100);
    if (isCutOff) server.cutOff.add("a");
    server.remove();
    b.elector.start();
    await clock.advance(100);
    expect([a.elector.isLeader, b.elector.isLeader]).toEqual([true, true]);
    await clock.advance(isCutOff ? renewDeadlineMs : 2000);
    expect([a.elector.isLeader, b.elector.isLeader]).toEqual([false, true]);
    await Promise.all([a.elector.stop(), b.elector.stop()]);
  }
});

test("durations that cannot protect are refused", () => {
  const clock = manualClock(0);
  const make = (options: Partial<ElectorOptions>) => () => candidate(leaseServer(), clock, "a", options);
  expect(make({ leaseDurationMs: 10_000, renewDeadlineMs: 10_000 })).toThrow(RangeError);
  expect(make({ renewDeadlineMs: 1000 })).toThrow(RangeError);
});
