import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { showRatio, showRatioSo } from "../src/values/ratio.ts";

test.each([
  [1.6666666666666667, "1.667"],
  [0.5666666666666667, "0.567"],
  [0.00012345, "0.000123"],
  [83.33333333333333, "83.333"],
  [2, "2"],
  [1.1, "1.1"],
  ["NaN", "0 ÷ 0"],
  [undefined, "?"],
] as const)("%s is shown as %s", (ratio, shown) => {
  expect(showRatio(ratio)).toBe(shown);
});

test("a ratio that is just outside of tolerance is not shown as its bound", () => {
  const isOutside = (ratio: number): boolean => ratio > 1.1;
  expect(showRatioSo(1.1000000000000003, isOutside)).toBe("1.1000000000000003");
  expect(showRatioSo(1.10004, isOutside)).toBe("1.10004");
  expect(showRatioSo(1.1004, isOutside)).toBe("1.1004");
  expect(showRatioSo(1.25, isOutside)).toBe("1.25");
});

test("the product of what is shown, rounded up, is the count", () => {
  expect(showRatioSo(5 / 3, (ratio) => Math.ceil(ratio * 3) === 5)).toBe("1.666");
  assertProperty(
    fc.property(
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      fc.integer({ min: 1, max: 5000 }),
      (ratio, pods) => {
        const replicas = Math.ceil(ratio * pods);
        expect(
          Math.ceil(Number(showRatioSo(ratio, (near) => Math.ceil(near * pods) === replicas)) * pods),
        ).toBe(replicas);
      },
    ),
  );
});
