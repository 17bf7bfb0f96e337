import { expect, test } from "vitest";
import { createDisputes } from "../../../src/schedules/hpa-bounds/disputes.ts";

const minute = 60_000;
const claimed = { managers: ["flux"], fields: ["minReplicas"], kind: "claimed" } as const;

function disputes() {
  const all = createDisputes({ baseMs: 5 * minute, maxMs: 60 * minute });
  return {
    add: (nowMs: number, about = "1") =>
      (all.add("a", { ...claimed, nowMs, about }).untilMs - nowMs) / minute,
    isOpen: (nowMs: number, about = "1") => all.open("a", { nowMs, about }) !== undefined,
    isDue: (nowMs: number, about = "1") => all.isDue("a", { nowMs, about }),
    tried: () => all.tried("a"),
    edited: (nowMs: number) => all.edited("a", nowMs),
  };
}

test("another writer keeps the bounds for longer each time, up to a limit", () => {
  const { add } = disputes();
  let nowMs = 0;
  const waits = Array.from({ length: 6 }, () => {
    const waited = add(nowMs);
    nowMs += waited * minute;
    return waited;
  });
  expect(waits).toEqual([5, 10, 20, 40, 60, 60]);
  // After a long while it is the first time.
  expect(add(nowMs + 120 * minute)).toBe(5);
});

test("a dispute about other bounds is the first one about them", () => {
  const { add } = disputes();
  expect([add(0, "1"), add(5 * minute, "1"), add(15 * minute, "2")]).toEqual([5, 10, 5]);
});

test("it is open until its time, unless what it is about is edited or the clock is set back far", () => {
  const { add, isOpen, isDue } = disputes();
  add(100 * minute);
  expect([isOpen(104 * minute), isDue(104 * minute)]).toEqual([true, false]);
  expect([isOpen(105 * minute), isDue(105 * minute)]).toEqual([false, true]);
  expect([isOpen(104 * minute, "2"), isDue(104 * minute, "2")]).toEqual([false, true]);
  expect(isOpen(0)).toBe(false);
});

test("what was tried once is no longer due", () => {
  const { add, isDue, tried } = disputes();
  add(0);
  tried();
  expect(isDue(10 * minute)).toBe(false);
});

test("one edit is a wish, two in ten minutes are a quarrel", () => {
  const { edited } = disputes();
  expect([edited(0), edited(11 * minute), edited(15 * minute)]).toEqual([false, false, true]);
});
