import { manualClock } from "@plimsoll/kube/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hash } from "../../src/hash.ts";
import { createSchedule } from "../../src/hpa/schedule.ts";

const periodMs = 15_000;

function setUp(keys: readonly string[]) {
  const clock = manualClock(1_800_000_000_000);
  const turns = new Map<string, number[]>();
  const schedule = createSchedule({
    clock,
    periodMs,
    due: (key) => turns.set(key, [...(turns.get(key) ?? []), clock.nowMs()]),
  });
  for (const key of keys) schedule.add(key);
  schedule.start();
  return { clock, turns, schedule };
}

const many = Array.from({ length: 600 }, (_, n) => `ns-${n}/hpa-${n}`);

test("every key has one turn per period, one period apart", async () => {
  const { clock, turns } = setUp(many);
  await clock.advance(4 * periodMs);
  for (const key of many) {
    const times = turns.get(key) ?? [];
    expect(times).toHaveLength(4);
    for (const [index, at] of times.slice(1).entries()) expect(at - (times[index] ?? 0)).toBe(periodMs);
  }
});

test("turns are spread over the period", async () => {
  const { clock, turns } = setUp(many);
  await clock.advance(periodMs);
  const perSecond = new Map<number, number>();
  for (const [at] of turns.values()) {
    const second = Math.floor(((at ?? 0) % periodMs) / 1000);
    perSecond.set(second, (perSecond.get(second) ?? 0) + 1);
  }
  expect(perSecond.size).toBeGreaterThanOrEqual(15);
  expect(Math.max(...perSecond.values())).toBeLessThan(100);
});

test("a removed key has no more turns; one that is added has its first within a period", async () => {
  const { clock, turns, schedule } = setUp(["a/a"]);
  await clock.advance(periodMs);
  schedule.remove("a/a");
  schedule.add("b/b");
  schedule.add("b/b");
  await clock.advance(periodMs);
  expect(turns.get("a/a")).toHaveLength(1);
  expect(turns.get("b/b")).toHaveLength(1);
});

test("nothing runs after stop, and no timer is left", async () => {
  const { clock, turns, schedule } = setUp(["a/a"]);
  schedule.stop();
  await clock.advance(2 * periodMs);
  expect(turns.size).toBe(0);
  expect(clock.pendingTimers).toBe(0);
});

/** A clock whose timers are fired by hand, as after a process was held or its clock was set. */
function heldClock() {
  let now = 1_800_000_000_000;
  let timer: { at: number; run: () => void } | undefined;
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
    fire() {
      const due = timer;
      timer = undefined;
      if (due === undefined) throw new Error("no timer");
      due.run();
    },
    tick() {
      now = Math.max(now, timer?.at ?? now);
      this.fire();
    },
  };
}

test("time that was lost is made up at twice the pace, never in one burst", () => {
  const clock = heldClock();
  const turns: string[] = [];
  const schedule = createSchedule({ clock, periodMs, due: (key) => turns.push(key) });
  for (const key of many) schedule.add(key);
  schedule.start();
  clock.jump(10_000);
  clock.fire();
  // Two slots of a hundred and fifty hold some eight of six hundred keys.
  expect(turns.length).toBeLessThan(30);
  for (let n = 0; n < 300; n++) clock.tick();
  const counts = new Map<string, number>();
  for (const key of turns) counts.set(key, (counts.get(key) ?? 0) + 1);
  expect(counts.size).toBe(many.length);
  expect(Math.max(...counts.values())).toBeLessThanOrEqual(4);
});

test("a clock that is set back or ahead by an hour loses nobody's turn", () => {
  fc.assert(
    fc.property(fc.constantFrom(-3_600_000, 3_600_000, -50, 20_000, -7000), (jumpMs) => {
      const clock = heldClock();
      const turns = new Map<string, number>();
      const schedule = createSchedule({
        clock,
        periodMs,
        due: (key) => turns.set(key, (turns.get(key) ?? 0) + 1),
      });
      for (const key of many) schedule.add(key);
      schedule.start();
      for (let n = 0; n < 75; n++) clock.tick();
      clock.jump(jumpMs);
      turns.clear();
      for (let n = 0; n < 320; n++) clock.tick();
      expect(turns.size).toBe(many.length);
      expect(Math.max(...turns.values())).toBeLessThanOrEqual(4);
      schedule.stop();
    }),
  );
});

test("the hash is FNV-1a", () => {
  expect(hash("")).toBe(0x811c9dc5);
  expect(hash("a")).toBe(0xe40c292c);
  expect(hash("foobar")).toBe(0xbf9cf968);
});
