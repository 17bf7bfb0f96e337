import type { Clock } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createPeriodWheel } from "../../src/controller/period-wheel.ts";

const periodMs = 15_000;
const many = Array.from({ length: 600 }, (_, n) => `ns-${n}/hpa-${n}`);

function setUp(keys: readonly string[]) {
  const clock = manualClock(1_800_000_000_000);
  return { clock, ...wheelOn(clock, keys) };
}

/** A wheel, and when it called each key by the time of `nowMs`. */
function wheelOn(clock: Clock, keys: readonly string[], nowMs = clock.nowMs) {
  const times = new Map<string, number[]>();
  const onTime = (key: string) => times.set(key, [...(times.get(key) ?? []), nowMs()]);
  const wheel = createPeriodWheel({ clock, periodMs, onTime });
  for (const key of keys) wheel.add(key);
  return { times, wheel };
}

test("every key is called once per period, one period apart", async () => {
  const { clock, times } = setUp(many);
  await clock.advance(4 * periodMs);
  for (const key of many) {
    expect(times.get(key)).toHaveLength(4);
    expect(gaps(times.get(key) ?? [])).toEqual([periodMs, periodMs]);
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

/** The shortest and the longest time between two calls of a key. */
function gaps(times: readonly number[]): readonly [shortest: number, longest: number] {
  const between = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  return [Math.min(...between), Math.max(...between)];
}

test.for([
  { more: 3, present: 99 },
  { more: 200, present: 100 },
  { more: 1, present: 250 },
])(
  "$more keys that join $present of their namespace make no key run twice in a period",
  async ({ more, present }) => {
    const { clock, times, wheel } = setUp(Array.from({ length: present }, (_, n) => `one/hpa-${n}`));
    await clock.advance(periodMs);
    for (let n = 0; n < more; n++) wheel.add(`one/new-${n}`);
    await clock.advance(5 * periodMs);
    for (let n = 0; n < more; n++) wheel.remove(`one/new-${n}`);
    await clock.advance(5 * periodMs);
    for (let n = 0; n < present; n++) {
      const [shortest, longest] = gaps(times.get(`one/hpa-${n}`) ?? []);
      expect(shortest).toBeGreaterThanOrEqual(periodMs);
      expect(longest).toBeLessThanOrEqual(periodMs + 100);
    }
  },
);

test("whatever comes, goes, and changes its period, no key runs twice in a period", async () => {
  const step = fc.record({
    namespace: fc.nat(2),
    keys: fc.nat(120),
    action: fc.constantFrom("add", "remove", "slower", "faster"),
    pauseMs: fc.nat(20_000),
  });
  await assertProperty(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { clock, times, wheel } = setUp([]);
      const shortest = new Map<string, number>();
      for (const { namespace, keys, action, pauseMs } of steps) {
        for (let n = 0; n < keys; n++) {
          const key = `ns-${namespace}/${n}`;
          if (action === "remove") {
            wheel.remove(key);
            times.delete(key);
            shortest.delete(key);
          } else {
            const ownMs = { add: periodMs, slower: 2 * periodMs, faster: 5000 }[action];
            wheel.add(key, ownMs);
            shortest.set(key, Math.min(ownMs, shortest.get(key) ?? ownMs));
          }
        }
        await clock.advance(pauseMs);
      }
      await clock.advance(3 * periodMs);
      for (const [key, minMs] of shortest)
        expect(gaps(times.get(key) ?? [])[0]).toBeGreaterThanOrEqual(minMs);
    }),
  );
});

test("a namespace that grows is spread over the period in the end", async () => {
  const { clock, times, wheel } = setUp(Array.from({ length: 600 }, (_, n) => `one/hpa-${n}`));
  await clock.advance(200 * periodMs);
  const lastTicks = new Set(Array.from({ length: 600 }, (_, n) => times.get(`one/hpa-${n}`)?.at(-1)));
  expect(lastTicks.size).toBeGreaterThan(100);
  wheel.stop();
});

test("keys that the caller serves when it adds them come one period later, and are spread over the period soon", async () => {
  const { clock, times, wheel } = setUp([]);
  const beganMs = clock.nowMs();
  for (const key of many) wheel.add(key, periodMs, "now");
  await clock.advance(25 * periodMs);
  for (const key of many) {
    const [shortest, longest] = gaps([beganMs, ...(times.get(key) ?? [])]);
    expect(shortest).toBeGreaterThanOrEqual(periodMs);
    expect(longest).toBeLessThanOrEqual(periodMs * 1.06);
  }
  const lastTicks = new Set(many.map((key) => times.get(key)?.at(-1)));
  expect(lastTicks.size).toBeGreaterThan(100);
  // In their places they keep to the period.
  await clock.advance(3 * periodMs);
  const lastTwo = times.get(many[0] ?? "")?.slice(-2) ?? [];
  expect(gaps(lastTwo)).toEqual([periodMs, periodMs]);
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
  const { times } = wheelOn(counting, ["a/a"]);
  await clock.advance(10 * periodMs);
  expect(times.get("a/a")).toHaveLength(10);
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
    expect(gaps(times.get("a/a") ?? [])).toEqual([periodMs, periodMs]);
    wheel.stop();
  }
});

test.for([-3_600_000, -2000, -50, 3_600_000])(
  "a clock that is set by %d ms while the wheel sleeps makes no key early or late",
  async (jumpMs) => {
    const clock = manualClock(1_800_000_000_000);
    let aheadMs = 0;
    const own = { nowMs: () => clock.nowMs() + aheadMs, after: clock.after };
    const called = wheelOn(own, ["a/a"], clock.nowMs).times;
    await clock.advance(3 * periodMs + 1234);
    aheadMs += jumpMs;
    await clock.advance(3 * periodMs);
    const times = called.get("a/a") ?? [];
    expect(times).toHaveLength(6);
    for (const gapMs of gaps(times)) expect(Math.abs(gapMs - periodMs)).toBeLessThanOrEqual(100);
  },
);

test.for([-7000, 5000, 10_000, 20_000])(
  "a wall clock that is set by %d ms moves no period",
  async (jumpMs) => {
    const clock = manualClock(0);
    let wallMs = 1_800_000_000_000;
    const own = { nowMs: () => wallMs + clock.nowMs(), steadyMs: clock.nowMs, after: clock.after };
    const { times: called, wheel } = wheelOn(own, ["a/a"], clock.nowMs);
    await clock.advance(3 * periodMs + 1234);
    wallMs += jumpMs;
    await clock.advance(3 * periodMs);
    const times = called.get("a/a") ?? [];
    expect(times).toHaveLength(6);
    expect(gaps(times)).toEqual([periodMs, periodMs]);
    wheel.stop();
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

/** A tick: by so much may the wheel be late without moving a key. */
const tickMs = 100;

test("lost time is caught up at twice the pace, never in one burst", () => {
  const clock = handClock();
  const { times } = wheelOn(clock, many);
  clock.jump(10_000);
  clock.fire();
  // Two of a hundred and fifty ticks have some eight of six hundred keys.
  expect(times.size).toBeLessThan(30);
  for (let n = 0; n < 320; n++) clock.tick();
  expect(times.size).toBe(many.length);
  for (const called of times.values()) expect(gaps(called)[0]).toBeGreaterThanOrEqual(periodMs - tickMs);
});

test("a clock that is set back or ahead by an hour loses no key's period", () => {
  assertProperty(
    fc.property(fc.constantFrom(-3_600_000, 3_600_000, -50, 20_000, -7000), (jumpMs) => {
      const clock = handClock();
      const { times, wheel } = wheelOn(clock, many);
      for (let n = 0; n < 75; n++) clock.tick();
      clock.jump(jumpMs);
      times.clear();
      for (let n = 0; n < 320; n++) clock.tick();
      expect(times.size).toBe(many.length);
      for (const called of times.values()) expect(gaps(called)[0]).toBeGreaterThanOrEqual(periodMs - tickMs);
      wheel.stop();
    }),
  );
});
