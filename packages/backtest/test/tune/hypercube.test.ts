// The hypercube spreads each parameter over its values.
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { latinHypercube } from "../../src/tune/hypercube.ts";
import type { Dimension } from "../../src/tune/space.ts";

const target: Dimension = {
  name: "target",
  values: Array.from({ length: 41 }, (_, at) => 30 + at),
  today: 20,
};
const window: Dimension = { name: "scaleDownWindow", values: [60, 120, 180, 300, 600], today: 3 };

test("each value of a target comes as often as the others, to one", () => {
  const points = latinHypercube([target, window], 164, 1);
  const counts = target.values.map((value) => points.filter((point) => point.target === value).length);
  expect(Math.min(...counts)).toBeGreaterThanOrEqual(3);
  expect(Math.max(...counts)).toBeLessThanOrEqual(5);
});

test("half of the other parameters are as they are today, and each other value comes", () => {
  const points = latinHypercube([target, window], 160, 1);
  expect(points.filter(({ scaleDownWindow }) => scaleDownWindow === 300)).toHaveLength(80);
  for (const value of [60, 120, 180, 600]) {
    const count = points.filter(({ scaleDownWindow }) => scaleDownWindow === value).length;
    expect(Math.abs(count - 20)).toBeLessThanOrEqual(1);
  }
});

test("another seed gives other points, the same seed the same", () => {
  expect(latinHypercube([target, window], 64, 1)).toEqual(latinHypercube([target, window], 64, 1));
  expect(latinHypercube([target, window], 64, 2)).not.toEqual(latinHypercube([target, window], 64, 1));
});

test("whatever the dimensions are, every value is one of theirs and every stratum has one point", () => {
  const dimension = fc
    .record({ size: fc.integer({ min: 2, max: 12 }), today: fc.nat(11) })
    .map(({ size, today }): Dimension => {
      const values = Array.from({ length: size }, (_, at) => at);
      return { name: "target", values, today: today % size };
    });
  assertProperty(
    fc.property(dimension, fc.integer({ min: 1, max: 100 }), fc.nat(), (own, count, seed) => {
      const points = latinHypercube([own], count, seed);
      expect(points).toHaveLength(count);
      for (const [at, value] of own.values.entries()) {
        const found = points.filter((point) => point.target === value).length;
        const expected = count / own.values.length;
        expect(own.values[at]).toBe(value);
        expect(Math.abs(found - expected)).toBeLessThan(2);
      }
    }),
    { numRuns: 300 },
  );
});
