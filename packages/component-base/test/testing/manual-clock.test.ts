import { manualClock } from "@plimsoll/component-base/testing";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";

test("timers run in the order of their instants, also those added meanwhile, each at its own time", async () => {
  const clock = manualClock(1000);
  const ran: string[] = [];
  const note = (name: string) => () => ran.push(`${name}@${String(clock.nowMs())}`);
  clock.after(30, note("c"));
  clock.after(10, () => {
    note("a")();
    clock.after(5, note("b"));
    clock.after(500, note("never"));
  });
  clock.after(30, note("d"));
  const cancel = clock.after(20, note("cancelled"));
  cancel();
  await clock.advance(100);
  expect(ran).toEqual(["a@1010", "b@1015", "c@1030", "d@1030"]);
  expect(clock.nowMs()).toBe(1100);
  expect(clock.pendingTimers).toBe(1);
});

test("what waits for a timer goes on before the next timer runs", async () => {
  const clock = manualClock(0);
  const ran: string[] = [];
  const sleep = (ms: number) => new Promise<void>((resolve) => void clock.after(ms, resolve));
  const loop = async (name: string, ms: number) => {
    for (let i = 0; i < 3; i += 1) {
      await sleep(ms);
      ran.push(`${name}@${String(clock.nowMs())}`);
    }
  };
  const loops = Promise.all([loop("x", 10), loop("y", 15)]);
  await clock.advance(45);
  await loops;
  expect(ran).toEqual(["x@10", "y@15", "x@20", "y@30", "x@30", "y@45"].sort(byTime));
});

function byTime(a: string, b: string): number {
  return Number(a.split("@")[1]) - Number(b.split("@")[1]);
}

test("timers run by their times, then by their age, whichever are canceled", async () => {
  await assertProperty(
    fc.asyncProperty(
      fc.array(fc.record({ delayMs: fc.integer({ min: 0, max: 20 }), isCanceled: fc.boolean() }), {
        maxLength: 400,
      }),
      async (planned) => {
        const clock = manualClock(0);
        const ran: number[] = [];
        const cancels = planned.map(({ delayMs }, n) => clock.after(delayMs, () => ran.push(n)));
        for (const [n, cancel] of cancels.entries()) if (planned[n]?.isCanceled === true) cancel();
        const kept = planned.flatMap(({ delayMs, isCanceled }, n) => (isCanceled ? [] : [{ delayMs, n }]));
        expect(clock.pendingTimers).toBe(kept.length);
        await clock.advance(20);
        kept.sort((one, other) => one.delayMs - other.delayMs || one.n - other.n);
        expect(ran).toEqual(kept.map(({ n }) => n));
        expect(clock.pendingTimers).toBe(0);
      },
    ),
    { numRuns: 30 },
  );
});
