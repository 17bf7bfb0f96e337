import { expect, test } from "vitest";
import { isWithin, lineOf } from "../../src/short/check.ts";

const check = { what: "a / b", ratio: 2, atMost: 2, of: "4 and 2 µs" };

test("a ratio on its bound is within it, and one beyond it or unknown is not", () => {
  expect(isWithin(check)).toBe(true);
  expect(isWithin({ ...check, ratio: 2.01 })).toBe(false);
  expect(isWithin({ ...check, ratio: NaN })).toBe(false);
});

test("a line says what is over", () => {
  expect(lineOf(check)).toMatch(/^ok {3}a \/ b +2\.00 {2}at most 2 {2}\(4 and 2 µs\)$/);
  expect(lineOf({ ...check, ratio: 3 })).toMatch(/^OVER a/);
});
