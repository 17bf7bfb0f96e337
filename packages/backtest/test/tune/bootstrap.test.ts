// The interval of a saving against what is known of it.
import { assertProperty } from "@plimsoll/properties";
import { randomStream, standardNormal } from "@plimsoll/simulator/parts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { quantileOf, savedInterval, savedPart } from "../../src/tune/bootstrap.ts";

test("days that save the same save it surely", () => {
  const days = Array.from({ length: 9 }, () => ({ own: 90, today: 100 }));
  const { low, high } = savedInterval(days, 1, "test");
  expect(low).toBeCloseTo(0.1, 12);
  expect(high).toBeCloseTo(0.1, 12);
});

test("of two days with blocks of one, the ends are the two days", () => {
  const { low, high } = savedInterval(
    [
      { own: 90, today: 100 },
      { own: 70, today: 100 },
    ],
    1,
    "test",
  );
  expect([low, high].map((one) => one.toFixed(2))).toEqual(["0.10", "0.30"]);
});

test("of many independent days it is that of the normal distribution", () => {
  const stream = randomStream(3, "days");
  const days = Array.from({ length: 400 }, () => ({ own: 80 + 10 * standardNormal(stream), today: 100 }));
  const own = days.map((day) => 1 - day.own / 100);
  const mean = own.reduce((sum, one) => sum + one, 0) / own.length;
  const deviation = Math.sqrt(own.reduce((sum, one) => sum + (one - mean) ** 2, 0) / own.length);
  const half = (1.645 * deviation) / Math.sqrt(own.length);
  const { low, high } = savedInterval(days, 1, "test");
  expect(Math.abs(low - (mean - half))).toBeLessThan(0.25 * half);
  expect(Math.abs(high - (mean + half))).toBeLessThan(0.25 * half);
});

test("days that are alike beside each other give a wider interval than the same days mixed", () => {
  const alike = Array.from({ length: 64 }, (_, at) => ({ own: at % 16 < 8 ? 70 : 90, today: 100 }));
  const mixed = Array.from({ length: 64 }, (_, at) => ({ own: at % 2 === 0 ? 70 : 90, today: 100 }));
  const [wide, narrow] = [alike, mixed].map((days) => savedInterval(days, 1, "test"));
  expect((wide?.high ?? 0) - (wide?.low ?? 0)).toBeGreaterThan(
    2 * ((narrow?.high ?? 0) - (narrow?.low ?? 0)),
  );
});

test("nothing is saved of nothing", () => {
  expect(savedPart(0, 0)).toBe(0);
  expect(savedInterval([], 1, "test")).toEqual({ low: 0, high: 0 });
});

test("quantiles lie between neighbors", () => {
  expect(quantileOf([1, 2, 3, 4, 5], 0.5)).toBe(3);
  expect(quantileOf([1, 3], 0.75)).toBe(2.5);
  expect(quantileOf([], 0.5)).toBe(0);
});

test("the interval lies within the days, and is the same for the same seed", () => {
  const day = fc.record({ own: fc.integer({ min: 1, max: 200 }), today: fc.integer({ min: 1, max: 200 }) });
  assertProperty(
    fc.property(fc.array(day, { minLength: 1, maxLength: 12 }), fc.nat(), (days, seed) => {
      const interval = savedInterval(days, seed, "test");
      const each = days.map(({ own, today }) => 1 - own / today);
      expect(interval.low).toBeLessThanOrEqual(interval.high);
      expect(interval.low).toBeGreaterThanOrEqual(Math.min(...each) - 1e-12);
      expect(interval.high).toBeLessThanOrEqual(Math.max(...each) + 1e-12);
      expect(savedInterval(days, seed, "test")).toEqual(interval);
    }),
    { numRuns: 20 },
  );
});
