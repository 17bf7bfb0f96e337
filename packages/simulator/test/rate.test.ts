// Functions over windows, by hand and at the edges where versions of Prometheus differ.
import { expect, test } from "vitest";
import type { MetricMeaning } from "../src/index.ts";
import { overWindow, type Window } from "../src/measure/rate.ts";

function windowOf(points: readonly (readonly [second: number, value: number])[], toSecond = 60): Window {
  return {
    atMs: Float64Array.from(points, ([second]) => second * 1000),
    values: Float64Array.from(points, ([, value]) => value),
    count: points.length,
    fromMs: 0,
    toMs: toSecond * 1000,
  };
}

const of = (query: MetricMeaning["query"], window: Window, promql: "2" | "3" = "3") =>
  overWindow(query, window, promql);

test("a counter that rises evenly has its rate, extended to both edges", () => {
  const even = windowOf([
    [5, 500],
    [20, 530],
    [35, 560],
    [50, 590],
  ]);
  // 90 in 45 s; 5 s before and 10 s after are within 1.1 × 15 s.
  expect(of("increase", even)).toBeCloseTo(120, 9);
  expect(of("rate", even)).toBeCloseTo(2, 9);
  expect(of("irate", even)).toBe(2);
});

test("far from an edge half a distance is added", () => {
  const late = windowOf([
    [30, 500],
    [45, 530],
    [60, 560],
  ]);
  expect(of("increase", late)).toBe(60 * (37.5 / 30));
});

test("a reset adds what was counted before", () => {
  const reset = windowOf([
    [0, 100],
    [15, 130],
    [30, 10],
    [45, 40],
    [60, 70],
  ]);
  expect(of("increase", reset)).toBeCloseTo(100, 9);
  expect(
    of(
      "irate",
      windowOf([
        [45, 40],
        [60, 10],
      ]),
    ),
  ).toBe(10 / 15);
});

test("a young counter is extended to its zero: version 2 looks at it before the threshold, 3 after", () => {
  const young = windowOf([
    [30, 10],
    [45, 40],
    [60, 70],
  ]);
  // It was zero 5 s before its first sample.
  expect(of("increase", young, "2")).toBe(60 * (35 / 30));
  // 30 s are more than 16.5: half a distance, 7.5 s, and then the 5 s.
  expect(of("increase", young, "3")).toBe(60 * (35 / 30));
  const slow = windowOf([
    [20, 35],
    [35, 65],
    [50, 95],
  ]);
  // Zero was 17.5 s before: version 2 finds that beyond the threshold, as version 3 finds the 20 s.
  expect(of("increase", slow, "2")).toBe(60 * ((30 + 7.5 + 10) / 30));
  const between = windowOf([
    [20, 20],
    [35, 50],
    [50, 80],
  ]);
  // Zero was 10 s before: within the threshold for version 2, beyond half a distance for version 3.
  expect(of("increase", between, "2")).toBe(60 * ((30 + 10 + 10) / 30));
  expect(of("increase", between, "3")).toBe(60 * ((30 + 7.5 + 10) / 30));
});

test("functions over time", () => {
  const some = windowOf([
    [0, 3],
    [15, 1],
    [30, 2],
  ]);
  const found = ["avg", "max", "min", "sum", "count", "last"].map((name) =>
    of(`${name}_over_time` as MetricMeaning["query"], some),
  );
  expect(found).toEqual([2, 3, 1, 6, 3, 2]);
  expect(of("value", some)).toBe(2);
});

test("too few samples have no value", () => {
  expect(of("rate", windowOf([[5, 1]]))).toBeNaN();
  expect(of("irate", windowOf([[5, 1]]))).toBeNaN();
  expect(of("value", windowOf([]))).toBeNaN();
});
