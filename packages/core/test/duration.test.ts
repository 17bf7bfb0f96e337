import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatGoDuration, parseGoDuration } from "../src/values/duration/index.ts";

test.each([
  ["0", 0],
  ["+0", 0],
  ["15s", 15_000],
  ["1h30m", 5_400_000],
  ["1.5h", 5_400_000],
  ["1m1m", 120_000],
  ["1.5s", 1_500],
  ["10.062s", 10_062],
  ["0.29s", 290],
  ["-2m", -120_000],
  ["+3ms", 3],
  ["100us", 0.1],
  ["1µs", 0.001],
  ["1μs", 0.001],
  ["1ns", 0.000_001],
  [".5h", 1_800_000],
  ["5.s", 5_000],
  ["2562047h47m16s", 9_223_372_036_000],
])("%s is %d ms", (text, ms) => {
  expect(parseGoDuration(text)).toBe(ms);
});

test.each([
  "",
  "5",
  "s",
  "1d",
  "1 s",
  "1s2",
  "NaN",
  "--1s",
  "1h-2m",
  ".s",
  "-",
  "9999999999h",
  "1".repeat(300),
])("%j is not a duration", (text) => {
  expect(parseGoDuration(text)).toBeUndefined();
});

test.each([
  [0, "0s"],
  [0.000_001, "1ns"],
  [0.0015, "1.5µs"],
  [250, "250ms"],
  [1_500, "1.5s"],
  [60_000, "1m0s"],
  [90_250, "1m30.25s"],
  [3_600_000, "1h0m0s"],
  [90_061_000, "25h1m1s"],
  [-1_500, "-1.5s"],
  [60_000.000_5, "1m0.0000005s"],
  [3_600_000.000_001, "1h0m0.000000001s"],
])("%d ms is %s", (ms, text) => {
  expect(formatGoDuration(ms)).toBe(text);
});

test("what is printed can be read", () => {
  assertProperty(
    fc.property(fc.integer({ min: -(10 ** 12), max: 10 ** 12 }), (ms) => {
      expect(parseGoDuration(formatGoDuration(ms))).toBe(ms + 0);
    }),
  );
});
