import { expect, test } from "vitest";
import { createVirtualTime } from "../../src/time/virtual-time.ts";

test("timers run in the order of their times, those of one moment as they were set", async () => {
  const time = createVirtualTime(1000);
  const ran: string[] = [];
  const note = (name: string) => () => ran.push(`${name} ${time.nowMs}`);
  time.after(20, note("later"));
  time.after(10, note("first"));
  time.after(10, note("second"));
  time.after(10, note("canceled"))();
  const cancel = time.after(15, note("canceled"));
  cancel();
  await time.runUntil(1015);
  expect(ran).toEqual(["first 1010", "second 1010"]);
  expect(time.nowMs).toBe(1015);
  await time.runUntil(1020);
  expect(ran).toEqual(["first 1010", "second 1010", "later 1020"]);
  expect(time.steps).toBe(3);
});

test("time passes in whole milliseconds, as a computer's clock shows it", async () => {
  const time = createVirtualTime(1000);
  const ran: number[] = [];
  time.after(1.9, () => ran.push(time.nowMs));
  await time.runUntil(2000);
  expect(ran).toEqual([1001]);
});

test("all promise jobs are done before the next timer runs", async () => {
  const time = createVirtualTime(0);
  const ran: string[] = [];
  time.after(1, () => {
    void (async () => {
      for (let round = 0; round < 100; round += 1) await Promise.resolve();
      ran.push("promise");
    })();
  });
  time.after(1, () => ran.push("timer"));
  await time.runUntil(1);
  expect(ran).toEqual(["promise", "timer"]);
});

test("halts after the timer that runs, and goes on from there", async () => {
  const time = createVirtualTime(0);
  const ran: number[] = [];
  time.after(1, () => {
    ran.push(1);
    time.halt();
  });
  time.after(1, () => ran.push(2));
  await time.runUntil(10);
  expect([ran, time.nowMs]).toEqual([[1], 1]);
  await time.runUntil(10);
  expect([ran, time.nowMs]).toEqual([[1, 2], 10]);
});

test("what a timer throws rejects the run", async () => {
  const time = createVirtualTime(0);
  time.after(1, () => {
    throw new Error("broken");
  });
  await expect(time.runUntil(2)).rejects.toThrow("broken");
});

test("timers that set timers of the same moment for ever end the run", async () => {
  const time = createVirtualTime(0);
  const again = () => {
    time.after(0, again);
  };
  again();
  await expect(time.runUntil(1)).rejects.toThrow("50000 timers ran in one moment");
});

test("what a check throws before a timer rejects the run, and no timer runs any more", async () => {
  const time = createVirtualTime(0);
  const ran: number[] = [];
  for (const ms of [1, 2, 3]) time.after(ms, () => ran.push(ms));
  const check = () => {
    if (ran.length === 2) throw new Error("interrupted");
  };
  await expect(time.runUntil(3, check)).rejects.toThrow("interrupted");
  await new Promise((resolve) => setImmediate(resolve));
  expect([ran, time.nowMs]).toEqual([[1, 2], 2]);
});
