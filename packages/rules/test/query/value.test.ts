import { compareQuantity, parseQuantity } from "@plimsoll/core/quantity";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { quantityOf } from "../../src/query/value.ts";

test.each([
  [0, "0"],
  [-0, "0"],
  [1, "1"],
  [1000, "1k"],
  [1001, "1001"],
  [1e6, "1M"],
  [1_500_000, "1500k"],
  [1e9, "1G"],
  [1e12, "1T"],
  [1e15, "1P"],
  [10.5, "10500m"],
  [1.005, "1004m"],
  [-2.5, "-2500m"],
  [0.001, "1m"],
  [0.0009, "900u"],
  [0.000_123_45, "123450n"],
  [1e-9, "1n"],
  [1e-320, "1n"],
  [-0.0009, "-900u"],
  [-1e-12, "-1n"],
  [9.3e15, "9223372036854775807m"],
  [1e308, "9223372036854775807m"],
  [-1e308, "-9223372036854775807m"],
])("%d is %s", (value, expected) => {
  expect(quantityOf(value)).toBe(expected);
});

test.each([
  [1_073_741_824, "1Gi"],
  [1024, "1Ki"],
  [1e12, "976562500Ki"],
  [1000.5, "1000500m"],
  [0, "0"],
])("%d bytes are %s", (value, expected) => {
  expect(quantityOf(value, "BinarySI")).toBe(expected);
});

test.each([Number.NaN, Infinity, -Infinity])("%d is not a quantity", (value) => {
  expect(quantityOf(value)).toBeUndefined();
});

test("every finite value gives a quantity of its sign, never 0 for what is not", () => {
  assertProperty(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = quantityOf(value) ?? "none";
      expect(compareQuantity(parseQuantity(text), parseQuantity("0"))).toBe(Math.sign(value) + 0);
    }),
    { numRuns: 2_000 },
  );
});
