// The controller's clock, recovered from whole seconds at which the count changed.
import { dayMs } from "@plimsoll/core/internal/values";
import { expect, test } from "vitest";
import { clockInstants, recoverClock } from "../../src/index.ts";

const fromMs = Date.parse("2026-01-01T00:00:00Z");

/** Whole seconds of some of the instants of a clock, as the API server writes them. */
function marks(periodMs: number, everyNth: number): readonly number[] {
  const count = Math.floor(dayMs / periodMs / everyNth);
  return Array.from({ length: count }, (_, n) => {
    // No regular distance, so that multiples of the period are not the only answer.
    const instant = fromMs + 4321 + (n * everyNth + ((n * n) % 7)) * periodMs;
    return Math.floor(instant / 1000) * 1000;
  });
}

test("a day of changes gives the period to a millisecond, and its instants to a second", () => {
  const seen = marks(15_021, 70);
  const clock = recoverClock(seen, 15_000);
  if (clock.state !== "recovered") throw new Error(clock.why);
  expect(Math.abs(clock.periodMs - 15_021)).toBeLessThan(1);
  expect(clock.concentration).toBeGreaterThan(0.97);
  expect(clock.marks).toBe(seen.length);
  const instants = clockInstants(clock, seen, { fromMs, toMs: fromMs + dayMs });
  expect(Math.abs(instants.length - dayMs / 15_021)).toBeLessThan(2);
  for (const instant of instants) {
    const phase = (((instant - fromMs - 4321) % 15_021) + 15_021) % 15_021;
    expect(Math.min(phase, 15_021 - phase)).toBeLessThan(1001);
  }
});

test("few changes give no clock", () => {
  expect(recoverClock(marks(15_021, 70).slice(0, 7), 15_000)).toEqual({
    state: "unknown",
    why: "replicas changed 7 times, but the clock needs 8 changes",
    concentration: undefined,
    marks: 7,
  });
});

test("changes at any time give no clock", () => {
  const anywhere = Array.from({ length: 90 }, (_, n) => fromMs + n * 900_000 + ((n * n * 1377) % 15) * 1000);
  expect(recoverClock(anywhere, 15_000)).toMatchObject({
    state: "unknown",
    why: expect.stringMatching(/^the changes have no common period: concentration 0\./) as unknown,
  });
});

test("a mark leads the instants back, and one far from them does not", () => {
  const clock = { periodMs: 10_000, phaseMs: 0 };
  expect(clockInstants(clock, [21_000], { fromMs: 0, toMs: 40_000 })).toEqual([0, 10_000, 21_000, 31_000]);
  expect(clockInstants(clock, [25_000], { fromMs: 0, toMs: 40_000 })).toEqual([
    0, 10_000, 20_000, 30_000, 40_000,
  ]);
});
