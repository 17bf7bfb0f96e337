import type { Clock } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hash } from "../../src/controller/hash.ts";
import { createPeriodWheel } from "../../src/controller/period-wheel.ts";

const periodMs = 15_000;
const many = Array.from({ length: 600 }, (_, n) => `ns-${n}/hpa-${n}`);

function setUp(keys: readonly string[]) {
  const clock = manualClock(1_800_000_000_000);
  const times = new Map<string, number[]>();
  const wheel = createPeriodWheel({
    clock,
    periodMs,
    onTime: (key) => times.set(key, [...(times.get(key) ?? []), clock.nowMs()]),
  });
  for (const key of keys) wheel.add(key);
  return { clock, times, wheel };
}

test("every key is called once per period, one period apart", async () => {
  const { clock, times } = setUp(many);
  await clock.advance(4 * periodMs);
  for (const key of many) {
    const called = times.get(key) ?? [];
    expect(called).toHaveLength(4);
    for (const [index, at] of called.slice(1).entries()) expect(at - (called[index] ?? 0)).toBe(periodMs);
  }
});

test("keys are spread over the period, and those of a small namespace are close together", async () => {
  const { clock, times, wheel } = setUp(many);
  for (let n = 0; n < 50; n++) wheel.add(`one/hpa-${n}`);
  await clock.advance(periodMs);
  const perSecond = new Map<number, number>();
  for (const key of many) {
    const second = Math.floor(((times.get(key)?.[0] ?? 0) % periodMs) / 1000);
    perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
  }
  expect(perSecond.size).toBeGreaterThanOrEqual(15);
  expect(Math.max(...perSecond.values())).toBeLessThan(100);
  const one = Array.from({ length: 50 }, (_, n) => (times.get(`one/hpa-${n}`)?.[0] ?? 0) % periodMs);
  expect(Math.max(...one) - Math.min(...one)).toBeLessThanOrEqual(500);
});

test("fifty keys of a namespace are called at the same tick", async () => {
  const { clock, times, wheel } = setUp([]);
  for (let n = 0; n < 50; n++) wheel.add(`one/hpa-${n}`);
  await clock.advance(periodMs);
  expect(new Set(Array.from({ length: 50 }, (_, n) => times.get(`one/hpa-${n}`)?.[0])).size).toBe(1);
});

test("a key may have a period of its own, and change it", async () => {
  const { clock, times, wheel } = setUp(["a/a"]);
  wheel.add("a/a", 3000);
  await clock.advance(30_000);
  expect(times.get("a/a")).toHaveLength(10);
  wheel.add("a/a", 60_000);
  await clock.advance(120_000);
  expect(times.get("a/a")).toHaveLength(12);
});

test("a removed key is not called; one that is added is called within a period", async () => {
  const { clock, times, wheel } = setUp(["a/a"]);
  await clock.advance(periodMs);
  wheel.remove("a/a");
  expect(clock.pendingTimers).toBe(0);
  await clock.advance(periodMs);
  wheel.add("b/b");
  wheel.add("b/b");
  await clock.advance(periodMs);
  expect(times.get("a/a")).toHaveLength(1);
  expect(times.get("b/b")).toHaveLength(1);
  expect(wheel.size).toBe(1);
});

test("nothing is called after stop, and no timer is left", async () => {
  const { clock, times, wheel } = setUp(["a/a"]);
  wheel.stop();
  wheel.add("b/b");
  await clock.advance(2 * periodMs);
  expect(times.size).toBe(0);
  expect(clock.pendingTimers).toBe(0);
});

test("ticks without keys cost no timer, but for one in 5 s", async () => {
  const clock = manualClock(1_800_000_000_000);
  let timers = 0;
  const counting: Clock = {
    nowMs: clock.nowMs,
    after(delayMs, run) {
      timers += 1;
      return clock.after(delayMs, run);
    },
  };
  const times: number[] = [];
  const wheel = createPeriodWheel({ clock: counting, periodMs, onTime: () => times.push(clock.nowMs()) });
  wheel.add("a/a");
  await clock.advance(10 * periodMs);
  expect(times).toHaveLength(10);
  expect(timers).toBeLessThanOrEqual(10 * 4 + 1);
});

test("a key that is added while the wheel sleeps is called at its own tick", async () => {
  for (const sleptMs of [0, 50, 3210, 7777]) {
    const { clock, times, wheel } = setUp(["a/a"]);
    await clock.advance(periodMs + sleptMs);
    for (const key of many) wheel.add(key);
    const addedMs = clock.nowMs();
    await clock.advance(2 * periodMs);
    const firsts = many.map((key) => (times.get(key)?.[0] ?? 0) - addedMs);
    expect(Math.min(...firsts)).toBeGreaterThan(0);
    expect(Math.max(...firsts)).toBeLessThanOrEqual(periodMs);
    expect(new Set(firsts.map((ms) => Math.ceil(ms / 1000))).size).toBe(15);
    const known = times.get("a/a") ?? [];
    for (const [index, at] of known.slice(1).entries()) expect(at - (known[index] ?? 0)).toBe(periodMs);
    wheel.stop();
  }
});

test.for([-3_600_000, -2000, -50, 3_600_000])(
  "a clock that is set by %d ms while the wheel sleeps makes no key early or late",
  async (jumpMs) => {
    const clock = manualClock(1_800_000_000_000);
    let aheadMs = 0;
    const times: number[] = [];
    const wheel = createPeriodWheel({
      clock: { nowMs: () => clock.nowMs() + aheadMs, after: clock.after },
      periodMs,
      onTime: () => times.push(clock.nowMs()),
    });
    wheel.add("a/a");
    await clock.advance(3 * periodMs + 1234);
    aheadMs += jumpMs;
    await clock.advance(3 * periodMs);
    expect(times).toHaveLength(6);
    for (const [index, atMs] of times.slice(1).entries())
      expect(Math.abs(atMs - (times[index] ?? 0) - periodMs)).toBeLessThanOrEqual(100);
  },
);

/** A clock whose timers are fired by hand, as after a process was suspended or its clock was set. */
function handClock() {
  let now = 1_800_000_000_000;
  let timer: { at: number; run: () => void } | undefined;
  const fire = () => {
    const fired = timer;
    timer = undefined;
    if (fired === undefined) throw new Error("no timer");
    fired.run();
  };
  return {
    nowMs: () => now,
    after(delayMs: number, run: () => void) {
      timer = { at: now + delayMs, run };
      return () => {
        timer = undefined;
      };
    },
    jump(ms: number) {
      now += ms;
    },
    fire,
    tick() {
      now = Math.max(now, timer?.at ?? now);
      fire();
    },
  };
}

test("lost time is caught up at twice the pace, never in one burst", () => {
  const clock = handClock();
  const called: string[] = [];
  const wheel = createPeriodWheel({ clock, periodMs, onTime: (key) => called.push(key) });
  for (const key of many) wheel.add(key);
  clock.jump(10_000);
  clock.fire();
  // Two of a hundred and fifty ticks have some eight of six hundred keys.
  expect(called.length).toBeLessThan(30);
  for (let n = 0; n < 300; n++) clock.tick();
  const counts = new Map<string, number>();
  for (const key of called) counts.set(key, (counts.get(key) ?? 0) + 1);
  expect(counts.size).toBe(many.length);
  expect(Math.max(...counts.values())).toBeLessThanOrEqual(4);
});

test("a clock that is set back or ahead by an hour loses no key's period", () => {
  assertProperty(
    fc.property(fc.constantFrom(-3_600_000, 3_600_000, -50, 20_000, -7000), (jumpMs) => {
      const clock = handClock();
      const called = new Map<string, number>();
      const onTime = (key: string) => void called.set(key, (called.get(key) ?? 0) + 1);
      const wheel = createPeriodWheel({ clock, periodMs, onTime });
      for (const key of many) wheel.add(key);
      for (let n = 0; n < 75; n++) clock.tick();
      clock.jump(jumpMs);
      called.clear();
      for (let n = 0; n < 320; n++) clock.tick();
      expect(called.size).toBe(many.length);
      expect(Math.max(...called.values())).toBeLessThanOrEqual(4);
      wheel.stop();
    }),
  );
});

test("the hash is FNV-1a", () => {
  expect(hash("")).toBe(0x811c9dc5);
  expect(hash("a")).toBe(0xe40c292c);
  expect(hash("foobar")).toBe(0xbf9cf968);
});
