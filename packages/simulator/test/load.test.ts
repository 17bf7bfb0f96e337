// Loads: their values, their exact areas, and the moments of noise.
import { expect, test } from "vitest";
import { type Load, type PointsLoad } from "../src/index.ts";
import { loadCursor } from "../src/load/cursor.ts";
import { startMs } from "../src/testing/index.ts";

const hour = 3_600_000;
const seed = { seed: 1, purpose: "test" };

function valueAt(load: Load, atMs: number): number {
  return loadCursor(load, atMs, seed).perSecond;
}

/** The area between two instants, and the pieces that it was added up from. */
function areaOf(load: Load, fromMs: number, toMs: number) {
  const cursor = loadCursor(load, fromMs, seed);
  let area = 0;
  let pieces = 0;
  for (let now = fromMs; now < toMs; pieces++) {
    cursor.moveTo(now);
    const until = Math.min(cursor.untilMs, toMs);
    const seconds = (until - now) / 1000;
    area += (cursor.perSecond + (cursor.slope * seconds) / 2) * seconds;
    now = until;
  }
  return { area, pieces };
}

const points: PointsLoad = {
  kind: "points",
  shape: "lines",
  atMs: [startMs, startMs + 10_000, startMs + 20_000],
  perSecond: [0, 100, 50],
};

test("lines between points, and the ends go on", () => {
  expect([-5, 0, 5, 10, 15, 20, 99].map((second) => valueAt(points, startMs + second * 1000))).toEqual([
    0, 0, 50, 100, 75, 50, 50,
  ]);
  expect(areaOf(points, startMs, startMs + 30_000)).toEqual({ area: 500 + 750 + 500, pieces: 3 });
});

test("steps stay until the next, and are zero before the first", () => {
  const steps: Load = { ...points, shape: "steps", perSecond: [10, 20, 30] };
  expect([-1, 0, 9, 10, 25].map((second) => valueAt(steps, startMs + second * 1000))).toEqual([
    0, 10, 10, 20, 30,
  ]);
});

test("a spike has its trapezoid", () => {
  const spike: Load = {
    kind: "spike",
    atMs: startMs,
    height: 60,
    riseMs: 10_000,
    holdMs: 20_000,
    fallMs: 5000,
  };
  expect(areaOf(spike, startMs - 1000, startMs + 60_000).area).toBeCloseTo(60 * (5 + 20 + 2.5), 9);
  const sudden: Load = { ...spike, riseMs: 0, fallMs: 0 };
  expect(areaOf(sudden, startMs, startMs + 60_000).area).toBeCloseTo(1200, 9);
});

test("a sine has its mean over a period, and is never below zero", () => {
  const sine: Load = { kind: "sine", mean: 100, amplitude: 50, periodMs: hour, peakAtMs: startMs };
  expect(valueAt(sine, startMs)).toBeCloseTo(150, 9);
  expect(valueAt(sine, startMs + hour / 2)).toBeCloseTo(50, 9);
  expect(areaOf(sine, startMs, startMs + hour).area / 3600).toBeCloseTo(100, 6);
  expect(valueAt({ ...sine, amplitude: 500 }, startMs + hour / 2)).toBe(0);
});

test("a daily profile keeps its hour when clocks change", () => {
  const perSecond = Array.from({ length: 24 }, (_, at) => at * 10);
  const load: Load = { kind: "profile", timeZone: "Europe/Berlin", repeats: "daily", perSecond };
  // Noon in Berlin is 10:00 UTC in summer and 11:00 in winter.
  expect(valueAt(load, Date.parse("2026-10-24T10:00:00Z"))).toBeCloseTo(120, 6);
  expect(valueAt(load, Date.parse("2026-10-26T11:00:00Z"))).toBeCloseTo(120, 6);
  expect(valueAt(load, Date.parse("2026-10-26T11:30:00Z"))).toBeCloseTo(125, 6);
});

test("a weekly profile begins on Monday", () => {
  const perSecond = [1, 2, 3, 4, 5, 6, 7];
  const load: Load = { kind: "profile", timeZone: "UTC", repeats: "weekly", perSecond };
  expect(valueAt(load, Date.parse("2026-11-23T00:00:00Z"))).toBeCloseTo(1, 9);
  expect(valueAt(load, Date.parse("2026-11-29T00:00:00Z"))).toBeCloseTo(7, 9);
});

test("sums have the stretches of all parts", () => {
  const load: Load = { kind: "sum", parts: [points, { kind: "constant", perSecond: 5 }] };
  expect(areaOf(load, startMs, startMs + 30_000)).toEqual({ area: 1750 + 150, pieces: 3 });
});

test("noise has its deviation and its memory", () => {
  const [deviation, memoryMs] = [0.1, 20_000];
  const load: Load = { kind: "noise", of: { kind: "constant", perSecond: 100 }, deviation, memoryMs };
  const cursor = loadCursor(load, startMs, seed);
  const stepMs = memoryMs / 4;
  const values = Array.from({ length: 40_000 }, (_, step) => {
    cursor.moveTo(startMs + step * stepMs);
    return cursor.perSecond / 100 - 1;
  });
  const mean = (list: readonly number[]) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const variance = mean(values.map((value) => value * value));
  const lag = mean(values.slice(4).map((value, at) => value * (values[at] ?? 0)));
  expect(mean(values)).toBeCloseTo(0, 2);
  expect(Math.sqrt(variance) / deviation).toBeCloseTo(1, 1);
  // Four steps are one memory.
  expect(lag / variance).toBeCloseTo(Math.exp(-1), 1);
});

test("Poisson counts have the mean of the load, and it as variance", () => {
  const load: Load = { kind: "poisson", of: { kind: "constant", perSecond: 30 }, bucketMs: 1000 };
  const cursor = loadCursor(load, startMs, seed);
  const counts = Array.from({ length: 20_000 }, (_, second) => {
    cursor.moveTo(startMs + second * 1000);
    return cursor.perSecond;
  });
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / counts.length;
  expect(counts.every((count) => Number.isInteger(count))).toBe(true);
  expect(mean / 30).toBeCloseTo(1, 1);
  expect(variance / 30).toBeCloseTo(1, 1);
});
