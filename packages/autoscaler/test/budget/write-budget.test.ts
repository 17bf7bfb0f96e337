import { manualClock } from "@plimsoll/kube/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createWriteBudget, type Urgency } from "../../src/budget/write-budget.ts";

function setUp(
  o: { perSecond?: number; refreshesPerSecond?: number; atOnce?: number; tookMs?: number } = {},
) {
  const clock = manualClock(1_000_000);
  const begun: { what: string; atMs: number; waiting: number }[] = [];
  const budget = createWriteBudget({
    clock,
    writesPerSecond: o.perSecond ?? 10,
    refreshesPerSecond: o.refreshesPerSecond ?? 2,
    atOnce: o.atOnce ?? 100,
  });
  const write = (urgency: Urgency, name = "") =>
    budget.queue(urgency, async () => {
      begun.push({
        what: `${urgency}${name}`,
        atMs: clock.nowMs() - 1_000_000,
        waiting: budget.waiting("scale"),
      });
      if (o.tookMs !== undefined) await new Promise<void>((resolve) => clock.after(o.tookMs ?? 0, resolve));
    });
  return { clock, budget, begun, write };
}

test("a count goes before everything that waited longer", async () => {
  const { clock, begun, write } = setUp({ perSecond: 2, refreshesPerSecond: 2 });
  for (let n = 0; n < 5; n++) write("told", String(n));
  for (let n = 0; n < 3; n++) write("scale", String(n));
  await clock.advance(10_000);
  // One of those told went out before there was any count to write.
  expect(begun.map(({ what }) => what)).toEqual([
    "told0",
    "scale0",
    "scale1",
    "scale2",
    "told1",
    "told2",
    "told3",
    "told4",
  ]);
});

test("statuses leave half of the reserve, and half of the places, to counts", async () => {
  const { begun, write, clock } = setUp({ perSecond: 10, atOnce: 8, tookMs: 1000 });
  for (let n = 0; n < 20; n++) write("told");
  expect(begun).toHaveLength(4);
  for (let n = 0; n < 4; n++) write("scale");
  expect(begun.filter(({ what }) => what === "scale")).toHaveLength(4);
  await clock.advance(10_000);
  expect(begun).toHaveLength(24);
});

test("refreshes have a rate of their own, and are not starved by what is told", async () => {
  const { begun, write, clock } = setUp({ perSecond: 10, refreshesPerSecond: 2 });
  for (let n = 0; n < 300; n++) write("told");
  for (let n = 0; n < 20; n++) write("refresh");
  await clock.advance(9000);
  expect(begun.filter(({ what }) => what === "refresh")).toHaveLength(0);
  await clock.advance(11_000);
  const refreshes = begun.filter(({ what }) => what === "refresh");
  expect(refreshes.length).toBeGreaterThanOrEqual(18);
  for (const { atMs } of refreshes) expect(atMs).toBeGreaterThanOrEqual(9900);
});

test("a write that is raised takes its turn there, one that is cancelled takes none", async () => {
  const { begun, write, clock, budget } = setUp({ perSecond: 1, refreshesPerSecond: 1 });
  write("told", "0");
  const raised = write("refresh", "1");
  write("told", "2");
  const cancelled = write("told", "3");
  raised.raise("scale");
  raised.raise("refresh");
  cancelled.cancel();
  expect(budget.waiting("scale") + budget.waiting("told") + budget.waiting("refresh")).toBe(2);
  await clock.advance(10_000);
  expect(begun.map(({ what }) => what)).toEqual(["told0", "refresh1", "told2"]);
});

test("in no second are there more writes than the rate and what was saved up; counts never wait behind others", async () => {
  const urgency = fc.constantFrom<Urgency>("scale", "told", "refresh");
  const arrivals = fc.array(fc.tuple(fc.integer({ min: 0, max: 400 }), urgency), { maxLength: 120 });
  await fc.assert(
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
