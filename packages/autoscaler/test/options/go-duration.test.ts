import { expect, test } from "vitest";
import { parseGoDuration } from "../../src/options/go-duration.ts";

test.each([
  ["15s", 15_000],
  ["1m30s", 90_000],
  ["1.5h", 5_400_000],
  ["300ms", 300],
  ["10.062s", 10_062],
  ["0", 0],
  ["-2s", -2000],
  ["1us", 0.001],
])("%s is %d ms", (text, ms) => {
  expect(parseGoDuration(text)).toBeCloseTo(ms, 9);
});

test.each(["", "15", "s", "1d", "1 s", "1s2", "NaN", "--1s"])("%j is not a duration", (text) => {
  expect(parseGoDuration(text)).toBeUndefined();
});
