// Ranks of candidates: nothing on the front is worse than another in everything.
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Costs, dominates, nonDominatedRanks, sumOf } from "../../src/tune/front.ts";

const costs = (podHours: number, shortPodSeconds: number, hotSeconds = 0, reversals = 0): Costs => ({
  podHours,
  shortPodSeconds,
  hotSeconds,
  reversals,
});

test("cheaper and as good is on the front, the other is behind it", () => {
  const all = [costs(10, 5), costs(8, 5), costs(8, 6), costs(12, 0), costs(13, 1)];
  expect(nonDominatedRanks(all)).toEqual([1, 0, 1, 0, 1]);
});

test("reversals decide between equals alone", () => {
  expect(dominates(costs(1, 1, 1, 2), costs(1, 1, 1, 3))).toBe(true);
  expect(dominates(costs(1, 1, 1, 3), costs(1, 1, 1, 3))).toBe(false);
  expect(dominates(costs(1, 1, 0, 9), costs(1, 1, 1, 3))).toBe(true);
});

test("the amounts of days are added", () => {
  expect(sumOf([costs(1, 2, 3, 4), costs(10, 20, 30, 40)])).toEqual(costs(11, 22, 33, 44));
});

const some = fc.array(
  fc.tuple(fc.nat(5), fc.nat(5), fc.nat(5), fc.nat(2)).map(([a, b, c, d]) => costs(a, b, c, d)),
  { minLength: 1, maxLength: 30 },
);

test("nothing dominates a member of a rank within it, and each later one is dominated by one of the rank before", () => {
  assertProperty(
    fc.property(some, (all) => {
      const ranks = nonDominatedRanks(all);
      for (const [at, own] of all.entries()) {
        const rank = ranks[at] ?? -1;
        expect(rank).toBeGreaterThanOrEqual(0);
        const beside = all.filter((_, other) => ranks[other] === rank);
        expect(beside.some((other) => dominates(other, own))).toBe(false);
        const before = all.filter((_, other) => ranks[other] === rank - 1);
        expect(before.some((other) => dominates(other, own))).toBe(rank > 0);
      }
    }),
    { numRuns: 500 },
  );
});
