import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { manualClock } from "@plimsoll/component-base/testing";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createWriteBudget } from "../../src/budget/write-budget.ts";
import type { Urgency } from "../../src/budget/write-lines.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function setUp(
  options: { perSecond?: number; refreshesPerSecond?: number; atOnce?: number; tookMs?: number } = {},
) {
  const clock = manualClock(1_000_000);
  const crashes: unknown[] = [];
  const begun: { what: string; atMs: number; waiting: number }[] = [];
  const budget = createWriteBudget({
    clock,
    writesPerSecond: options.perSecond ?? 10,
    refreshesPerSecond: options.refreshesPerSecond ?? 2,
    atOnce: options.atOnce ?? 100,
    onCrash: (error) => void crashes.push(error),
  });
  const write = (urgency: Urgency, name = "") =>
    budget.queue(urgency, async () => {
      begun.push({
        what: `${urgency}${name}`,
        atMs: clock.nowMs() - 1_000_000,
        waiting: budget.waiting("scale"),
      });
      if (options.tookMs !== undefined)
        await new Promise<void>((resolve) => clock.after(options.tookMs ?? 0, resolve));
    });
  return { clock, budget, begun, write, crashes };
}

test("a scale goes before everything that waited longer", async () => {
  const { clock, begun, write } = setUp({ perSecond: 2, refreshesPerSecond: 2 });
  for (let n = 0; n < 5; n++) write("report", String(n));
  for (let n = 0; n < 3; n++) write("scale", String(n));
  await clock.advance(10_000);
  // One report went out before there was a scale to write.
  expect(begun.map(({ what }) => what)).toEqual([
    "report0",
    "scale0",
    "scale1",
    "scale2",
    "report1",
    "report2",
    "report3",
    "report4",
  ]);
});

test("statuses leave half of the reserve, and half of the places, to scales", async () => {
  const { begun, write, clock } = setUp({ perSecond: 10, atOnce: 8, tookMs: 1000 });
  for (let n = 0; n < 20; n++) write("report");
  expect(begun).toHaveLength(4);
  for (let n = 0; n < 4; n++) write("scale");
  expect(begun.filter(({ what }) => what === "scale")).toHaveLength(4);
  await clock.advance(10_000);
  expect(begun).toHaveLength(24);
});

test("refreshes have a rate of their own, and are not starved by reports", async () => {
  const { begun, write, clock } = setUp({ perSecond: 10, refreshesPerSecond: 2 });
  for (let n = 0; n < 300; n++) write("report");
  for (let n = 0; n < 20; n++) write("refresh");
  await clock.advance(9000);
  expect(begun.filter(({ what }) => what === "refresh")).toHaveLength(0);
  await clock.advance(11_000);
  const refreshes = begun.filter(({ what }) => what === "refresh");
  expect(refreshes.length).toBeGreaterThanOrEqual(18);
  for (const { atMs } of refreshes) expect(atMs).toBeGreaterThanOrEqual(9900);
});

test("a write that is raised goes there, one that is cancelled does not go", async () => {
  const { begun, write, clock, budget } = setUp({ perSecond: 1, refreshesPerSecond: 1 });
  write("report", "0");
  const raised = write("refresh", "1");
  write("report", "2");
  const cancelled = write("report", "3");
  raised.raise("scale");
  raised.raise("refresh");
  cancelled.cancel();
  expect(budget.waiting("scale") + budget.waiting("report") + budget.waiting("refresh")).toBe(2);
  await clock.advance(10_000);
  expect(begun.map(({ what }) => what)).toEqual(["report0", "refresh1", "report2"]);
});

test("in no second are there more writes than the rate and what was saved up; scales never wait behind others", async () => {
  const urgency = fc.constantFrom<Urgency>("scale", "report", "refresh");
  const arrivals = fc.array(fc.tuple(fc.integer({ min: 0, max: 400 }), urgency), { maxLength: 120 });
  await assertProperty(
    fc.asyncProperty(
      arrivals,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 0, max: 700 }),
      async (all, perSecond, refreshesPerSecond, tookMs) => {
        const { clock, begun, write } = setUp({ perSecond, refreshesPerSecond, atOnce: 6, tookMs });
        for (const [gapMs, what] of all) {
          await clock.advance(gapMs);
          write(what);
        }
        await clock.advance(1_000_000);
        expect(begun).toHaveLength(all.length);
        const within = (list: readonly { readonly atMs: number }[], fromMs: number) =>
          list.filter(({ atMs }) => atMs >= fromMs && atMs < fromMs + 1000).length;
        const refreshes = begun.filter(({ what }) => what === "refresh");
        for (const { atMs } of begun) expect(within(begun, atMs)).toBeLessThanOrEqual(2 * perSecond);
        for (const { atMs } of refreshes)
          expect(within(refreshes, atMs)).toBeLessThanOrEqual(2 * refreshesPerSecond);
        expect(begun.filter(({ what, waiting }) => what !== "scale" && waiting > 0)).toEqual([]);
      },
    ),
    { numRuns: 60 },
  );
});

test.each([
  ["rejects", () => Promise.reject(new Error("broken"))],
  [
    "throws",
    (): Promise<void> => {
      throw new Error("broken");
    },
  ],
])("a write that %s gives its place back", async (_, broken) => {
  const { budget, begun, write, crashes, clock } = setUp({ atOnce: 2, perSecond: 100 });
  for (let n = 0; n < 20; n++) budget.queue(n % 2 === 0 ? "scale" : "report", broken);
  const results = Array.from({ length: 20 }, () => budget.run("scale", broken).catch(String));
  await clock.advance(1000);
  write("scale");
  write("report");
  await clock.advance(1000);
  expect(begun.map(({ what }) => what)).toEqual(["scale", "report"]);
  expect(crashes).toHaveLength(20);
  expect(await Promise.all(results)).toEqual(results.map(() => "Error: broken"));
});

test("nothing is kept of a write that has ended, or that was canceled while it waited", async () => {
  const { clock, budget } = setUp({ perSecond: 1, atOnce: 1 });
  const kept = queue();
  await clock.advance(1500);
  // A weak reference keeps its object until the end of the turn in which it was made.
  await new Promise(setImmediate);
  collectGarbage();
  expect(kept.map((reference) => reference.deref() === undefined)).toEqual([true, true, true, false]);

  /** Two are written, the third is canceled, the last waits. */
  function queue(): readonly WeakRef<object>[] {
    const objects = Array.from({ length: 4 }, (_, n) => ({ n }));
    const tickets = objects.map((object) => budget.queue("report", () => Promise.resolve(void object.n)));
    tickets[2]?.cancel();
    return objects.map((object) => new WeakRef(object));
  }
});
