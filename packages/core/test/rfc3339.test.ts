import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatInstant, instantMs } from "../src/index.ts";

test("instants read and print as Date does", () => {
  assertProperty(
    fc.property(
      fc.date({
        min: new Date("0001-01-01T00:00:00Z"),
        max: new Date("9999-12-31T23:59:59Z"),
        noInvalidDate: true,
      }),
      (date) => {
        expect(instantMs(date.toISOString())).toBe(date.getTime());
        expect(instantMs(date)).toBe(date.getTime());
        expect(instantMs({ toISOString: () => date.toISOString() })).toBe(date.getTime());
        expect(formatInstant(date.getTime())).toBe(date.toISOString().replace(/\.\d+Z$/, "Z"));
      },
    ),
  );
});

test.each([
  ["2026-01-01T12:00:00+02:00", "2026-01-01T10:00:00Z"],
  ["2026-01-01T12:00:00-00:30", "2026-01-01T12:30:00Z"],
  ["2026-01-01T12:00:00.999999Z", "2026-01-01T12:00:00Z"],
  ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z"],
])("%s is %s", (text, utc) => {
  expect(formatInstant(instantMs(text) ?? NaN)).toBe(utc);
});

test.each([
  "2026-02-29T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-01-01T24:00:00Z",
  "2026-01-01T00:60:00Z",
  "2026-01-01T00:00:60Z",
  "2026-01-01 00:00:00Z",
  "2026-01-01T00:00:00",
  "2026-01-01",
  "",
  "tomorrow",
  "2O26-01-01T00:00:00Z",
])("%s is not a time", (text) => {
  expect(instantMs(text)).toBeUndefined();
});

test.each([undefined, null, 5, {}, new Date(NaN), { toISOString: (): number => 5 }])(
  "neither is %s",
  (value) => {
    expect(instantMs(value)).toBeUndefined();
  },
);

test("microseconds keep their order", () => {
  expect(instantMs("2026-01-01T12:00:00.000001Z")).toBeGreaterThan(instantMs("2026-01-01T12:00:00Z") ?? NaN);
});
