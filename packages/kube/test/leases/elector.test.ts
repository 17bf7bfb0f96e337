import { sleep } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import { createElector, type ElectorOptions } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { fakeClient } from "../fake/fake-client.ts";
import { candidate, leaseServer } from "./one-lease.ts";

test("one of many leads; when it leaves, another does so at once and not before the first has stopped", async () => {
  const clock = manualClock(0);
  const server = leaseServer();
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
  expect(clock.pendingTimers).toBe(0);
});

test("a leader that is cut off stops before another may begin", async () => {
  const clock = manualClock(0);
  const server = leaseServer();
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

test("a leader whose responses are lost releases leadership although its renewals arrive", async () => {
  const clock = manualClock(0);
  const server = leaseServer();
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
  const clock = manualClock(0);
  const server = leaseServer();
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
  const clock = manualClock(0);
  const server = leaseServer();
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
  await clock.advance(30_000);
  await stopped;
});

test("a process that was suspended does not take itself for the leader when it wakes", async () => {
  let nowMs = 0;
  const timers = manualClock(0);
  // The wall clock goes on while timers stand still.
  const clock = { nowMs: () => nowMs, after: timers.after };
  const server = leaseServer();
  const elector = createElector({
    client: server.client("a"),
    namespace: "ns",
    name: "main",
    identity: "a",
    clock,
    onStarted: () => undefined,
  });
  elector.start();
  await timers.advance(1000);
  expect(elector.isLeader).toBe(true);
  nowMs = 16_000;
  expect(elector.isLeader).toBe(false);
  await elector.stop();
});

test("a process that was suspended, and whose wall clock is set back, does not take itself for the leader", async () => {
  let [wallMs, steadyMs] = [1_000_000, 0];
  const timers = manualClock(0);
  const clock = { nowMs: () => wallMs, steadyMs: () => steadyMs, after: timers.after };
  const elector = createElector({
    client: leaseServer().client("a"),
    namespace: "ns",
    name: "main",
    identity: "a",
    clock,
    onStarted: () => undefined,
  });
  elector.start();
  await timers.advance(1000);
  expect(elector.isLeader).toBe(true);
  // Timers are late, and the wall clock does not say so.
  [wallMs, steadyMs] = [900_000, 16_000];
  expect(elector.isLeader).toBe(false);
  await elector.stop();
});

test("a lost leader whose lease was removed is followed, however slow responses are within their timeout", async () => {
  const server = leaseServer();
  const clock = manualClock(0);
  const a = candidate(server, clock, "a");
  const { request } = server.client("b");
  const client = fakeClient(async (wanted) => {
    await sleep(clock, 4900);
    return await request(wanted);
  });
  const b = candidate(server, clock, "b", { client, random: () => 0.9 });
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
    const server = leaseServer();
    const clock = manualClock(0);
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
    const server = leaseServer();
    const clock = manualClock(0);
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
