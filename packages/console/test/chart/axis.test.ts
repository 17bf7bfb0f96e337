import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { timeText, timeTicks, valueText, valueTicks } from "../../src/chart/axis.ts";

const at = (text: string) => Date.parse(text) / 1000;

test.each([
  [0, 3, [0]],
  [1, 4, [0, 0.5, 1]],
  [43.2, 4, [0, 20, 40]],
  [97, 4, [0, 50]],
  [1_080, 5, [0, 500, 1_000]],
  [Number.NaN, 4, [0]],
])("up to %s, at most %i: %j", (top, max, expected) => {
  expect(valueTicks(top, max)).toEqual(expected);
});

test.each([
  ["10:00:00Z", "10:05:45Z", 8, ["10:00", "10:01", "10:02", "10:03", "10:04", "10:05"]],
  ["09:58:17Z", "10:00:02Z", 4, ["09:58:30", "09:59:00", "09:59:30", "10:00:00"]],
  ["04:00:00Z", "10:00:00Z", 3, ["04:00", "06:00", "08:00", "10:00"]],
])("from %s to %s, at most %i spaces", (first, last, max, expected) => {
  const ticks = timeTicks(at(`2026-11-22T${first}`), at(`2026-11-22T${last}`), max);
  const hasSeconds = ticks.some((seconds) => seconds % 60 !== 0);
  expect(ticks.map((seconds) => timeText(seconds, hasSeconds))).toEqual(expected);
});

test("a day has its date", () => {
  const ticks = timeTicks(at("2026-11-20T12:00:00Z"), at("2026-11-22T13:00:00Z"), 5);
  expect(ticks.map((seconds) => timeText(seconds, false))).toEqual([
    "12:00",
    "11-21",
    "12:00",
    "11-22",
    "12:00",
  ]);
});

test.each([
  [0, "", "0"],
  [60, "%", "60%"],
  [0.25, "", "0.25"],
  [9_999, "", "9999"],
  [1_200_000, "", "1.2M"],
  [3_221_225_472, "", "3.221G"],
  [0.1 + 0.2, "", "0.3"],
])("%s%s is written %s", (value, unit, expected) => {
  expect(valueText(value, unit)).toBe(expected);
});

test("there are never more lines than fit, and they are within what is shown", () => {
  assertProperty(
    fc.property(
      fc.double({ min: 1e-6, max: 1e18, noNaN: true }),
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 0, max: 4e9 }),
      fc.integer({ min: 0, max: 63e6 }),
      (top, max, first, span) => {
        const values = valueTicks(top, max);
        expect(values.length).toBeLessThanOrEqual(max + 1);
        expect(values.every((value) => value >= 0 && value <= top * (1 + 1e-9))).toBe(true);
        const times = timeTicks(first, first + span, max);
        expect(times.length).toBeLessThanOrEqual(max + 1);
        expect(times.every((seconds) => seconds >= first && seconds <= first + span)).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});
