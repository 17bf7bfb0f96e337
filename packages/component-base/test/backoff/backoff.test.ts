import { expect, test } from "vitest";
import { backoffMs } from "../../src/index.ts";

const limits = { baseMs: 1000, maxMs: 30_000 };

test("a delay doubles with each attempt, up to the limit", () => {
  const delays = [0, 1, 2, 3, 4, 5, 6].map((attempt) => backoffMs(attempt, limits));
  expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
});

test("no number of attempts leads beyond the limit, or to no number", () => {
  expect(backoffMs(1e6, limits)).toBe(30_000);
  expect(backoffMs(1e6, { baseMs: 0, maxMs: 30_000 })).toBe(0);
});

test("a base above the limit is the limit", () => {
  expect(backoffMs(0, { baseMs: 60_000, maxMs: 30_000 })).toBe(30_000);
});

test.each([
  [0, 2000],
  [0.5, 3000],
  [1 - 2 ** -20, 4000],
])("with a random number, %d, the delay is drawn from its upper half", (random, delayMs) => {
  expect(backoffMs(2, { ...limits, random: () => random })).toBeCloseTo(delayMs, 2);
});
