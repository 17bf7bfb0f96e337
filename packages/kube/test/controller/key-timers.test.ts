import { manualClock } from "@plimsoll/component-base/testing";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createKeyHeap } from "../../src/controller/key-heap.ts";
import { createKeyTimers } from "../../src/controller/key-timers.ts";

function setUp() {
  const clock = manualClock(1_800_000_000_000);
  let offsetMs = 0;
  const startMs = clock.nowMs();
  const fired: (readonly [string, number])[] = [];
  const shifted = { nowMs: () => clock.nowMs() + offsetMs, after: clock.after };
  const timers = createKeyTimers(shifted, (key) => fired.push([key, clock.nowMs() - startMs]));
  const set = (ms: number) => {
    offsetMs += ms;
  };
  return { clock, timers, fired, set, startMs };
}

test("each key is called once at its instant, on one timer", async () => {
  const { clock, timers, fired, startMs } = setUp();
  for (const [key, ms] of [
    ["c", 30_000],
    ["a", 10],
    ["b", 20_000],
  ] as const)
    timers.set(key, startMs + ms);
  timers.set("b", startMs + 12_000);
  expect(clock.pendingTimers).toBe(1);
  await clock.advance(60_000);
  expect(fired).toEqual([
    ["a", 10],
    ["b", 12_000],
    ["c", 30_000],
  ]);
  expect(clock.pendingTimers).toBe(0);
});

test("nothing is called after delete or stop, and no timer is left", async () => {
  const { clock, timers, fired, startMs } = setUp();
  timers.set("a", startMs + 10);
  timers.delete("a");
  expect(clock.pendingTimers).toBe(0);
  timers.set("b", startMs + 10);
  timers.stop();
  timers.set("c", startMs + 10);
  await clock.advance(60_000);
  expect(fired).toEqual([]);
  expect(clock.pendingTimers).toBe(0);
});

test("a clock set ahead is noticed within 5 s; set back, all keys are called", async () => {
  const { clock, timers, fired, set, startMs } = setUp();
  timers.set("a", startMs + 3_600_000);
  timers.set("b", startMs + 7_200_000);
  await clock.advance(1000);
  set(3_600_000);
  await clock.advance(5000);
  expect(fired.map(([key]) => key)).toEqual(["a"]);
  set(-7_200_000);
  await clock.advance(5000);
  expect(fired.map(([key]) => key)).toEqual(["a", "b"]);
});

test("a clock that is set back is noticed also when keys are set meanwhile", async () => {
  const { clock, timers, fired, set, startMs } = setUp();
  timers.set("old", startMs + 10_000);
  await clock.advance(1000);
  set(-3_600_000);
  timers.set("new", startMs - 3_600_000 + 12_000);
  await clock.advance(10_000);
  expect(fired.map(([key]) => key)).toContain("old");
});

test("a clock that is set back by less than a second calls no key early", async () => {
  const { clock, timers, fired, set, startMs } = setUp();
  timers.set("a", startMs + 10_000);
  set(-900);
  timers.set("b", startMs + 20_000);
  await clock.advance(10_800);
  expect(fired).toEqual([]);
  await clock.advance(10_200);
  expect(fired).toEqual([
    ["a", 10_900],
    ["b", 20_900],
  ]);
});

test("a key that another one deletes is not called, also at the same instant", async () => {
  const clock = manualClock(0);
  const fired: string[] = [];
  const timers = createKeyTimers(clock, (key) => {
    fired.push(key);
    timers.delete("b");
  });
  timers.set("a", 10);
  timers.set("b", 10);
  await clock.advance(60_000);
  expect(fired).toEqual(["a"]);
});

test("10,000 keys take one timer, and cost a logarithm each", () => {
  let calls = 0;
  const clock = { nowMs: () => 0, after: () => () => (calls += 1) };
  const timers = createKeyTimers(clock, () => undefined);
  // The last one set is the first in time: each replaces the timer at most once.
  for (let n = 10_000; n > 0; n--) timers.set(`k${n}`, n);
  expect(timers.size).toBe(10_000);
  expect(calls).toBeLessThanOrEqual(10_000);
});

test("the heap gives its keys in the order of their instants", () => {
  const step = fc.record({
    key: fc.integer({ min: 0, max: 20 }),
    atMs: fc.option(fc.integer({ min: 0, max: 50 })),
  });
  assertProperty(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const heap = createKeyHeap();
      const model = new Map<string, number>();
      for (const { key, atMs } of steps) {
        if (atMs === null) {
          heap.delete(`k${key}`);
          model.delete(`k${key}`);
        } else {
          heap.set(`k${key}`, atMs);
          model.set(`k${key}`, atMs);
        }
        expect(heap.size).toBe(model.size);
        expect(heap.first?.rank).toBe(model.size === 0 ? undefined : Math.min(...model.values()));
      }
      const times: number[] = [];
      for (let first = heap.first; first !== undefined; first = heap.first) {
        expect(model.get(first.key)).toBe(first.rank);
        times.push(first.rank);
        heap.delete(first.key);
      }
      expect(times).toEqual([...model.values()].sort((a, b) => a - b));
    }),
  );
});
