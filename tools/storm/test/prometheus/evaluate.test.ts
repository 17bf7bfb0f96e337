// Queries of the simulated Prometheus.

import { parseQuery, parseSelector, UnknownQueryError } from "@plimsoll/prometheus/testing";
import { expect, test } from "vitest";
import { evaluate } from "../../src/prometheus/evaluate.ts";
import { createSeries } from "../../src/prometheus/series.ts";
import { createSeriesTable } from "../../src/prometheus/series-table.ts";

/** Over a minute, of samples every 15 s. */
function rateOf(values: readonly number[], firstMs: number): number | undefined {
  const series = createSeries("busy", {}, "busy");
  for (const [index, value] of values.entries()) series.append(firstMs + index * 15_000, value);
  const seams = { select: () => [series], atMs: 60_000 };
  return evaluate(parseQuery("sum(rate(busy[1m]))"), seams)[0]?.value;
}

test.for<[string, readonly number[], number, number]>([
  ["a steady counter, to both ends of the range", [150, 300, 450, 600], 7_500, 10],
  ["a reset adds what was counted before it", [150, 300, 10, 160], 7_500, 310 / 45],
  ["a counter that begins within the range begins at 0", [30, 180, 330, 480], 7_500, (450 + 30 + 75) / 60],
])("the rate of %s", ([, values, firstMs, expected]) => {
  expect(rateOf(values, firstMs)).toBeCloseTo(expected, 9);
});

test("one sample has no rate", () => {
  expect(rateOf([5], 60_000)).toBeUndefined();
});

test("a rate ends half an interval after the last sample when the series has ended", () => {
  expect(rateOf([0, 150, 300], 1_000)).toBeCloseTo(((300 / 30) * 37.5) / 60, 9);
});

function table() {
  const all = createSeriesTable();
  for (const [namespace, pod, value] of [
    ["a", "web.1", 1],
    ["a", "web-2", 2],
    ["b", "web.1", 4],
  ] as const) {
    const series = createSeries("busy", { namespace, pod, container: "main" }, `busy ${namespace}/${pod}`);
    series.append(0, value);
    all.add(series);
  }
  return all;
}

test.for<[string, readonly (readonly [string, number, string | undefined])[]]>([
  ['sum(busy{namespace="a",pod="web.1"}) by (pod)', [['{"pod":"web.1"}', 1, "busy a/web.1"]]],
  [
    'sum by (pod) (busy{namespace="a",pod=~"web\\\\.1|web-2"})',
    [
      ['{"pod":"web.1"}', 1, "busy a/web.1"],
      ['{"pod":"web-2"}', 2, "busy a/web-2"],
    ],
  ],
  ['sum(busy{pod=~"web.1"}) by (pod)', [['{"pod":"web.1"}', 5, undefined]]],
  ['sum(busy{namespace="a",pod!="web.1"})', [["{}", 2, "busy a/web-2"]]],
  [
    'sum({__name__="busy",namespace="a",pod!~"web-2|x"}) by (container)',
    [['{"container":"main"}', 1, "busy a/web.1"]],
  ],
  ['max(busy{namespace=~".+"})', [["{}", 4, undefined]]],
  ["max(count_over_time(busy[5m]))", [["{}", 1, undefined]]],
  ["vector(1)", [["{}", 1, undefined]]],
  ['sum(busy{namespace="c"}) by (pod)', []],
])("%s", ([query, expected]) => {
  const found = evaluate(parseQuery(query), { select: table().select, atMs: 1_000 });
  expect(found.map(({ metric, value, identity }) => [metric, value, identity])).toEqual(expected);
});

test.for([
  "busy or vector(1)",
  "avg(busy)",
  "sum(busy offset 5m)",
  'sum(busy{namespace="a"',
  "sum(irate(busy[1m]))",
  "busy[5m]",
  "sum(rate(busy[5m:1m]))",
  "vector(time())",
  'sum(busy) by ("pod")',
  'sum(busy{"other"})',
  "sum(sum(busy))",
  "busy",
])("%s is a gap of the simulation, not an empty result", (query) => {
  const run = () => evaluate(parseQuery(query), { select: table().select, atMs: 1_000 });
  expect(run).toThrow(UnknownQueryError);
});

test("a selector is read alone", () => {
  expect(parseSelector('busy{namespace!=""}').name).toBe("busy");
  expect(() => parseSelector("sum(busy)")).toThrow(UnknownQueryError);
});

test("a series has a value for five minutes, unless it ended, and refuses samples of the past", () => {
  const series = createSeries("busy", {}, "busy");
  series.append(1_000, 7);
  series.append(900, 8);
  expect([999, 1_000, 300_999, 301_000].map(series.valueAt)).toEqual([undefined, 7, 7, undefined]);
  series.append(16_000, 9);
  series.markStale(31_000);
  expect([15_999, 30_999, 31_000].map(series.valueAt)).toEqual([7, 9, undefined]);
  for (let at = 0; at < 100; at += 1) series.append(46_000 + at * 15_000, at);
  expect(series.valueAt(46_000 + 99 * 15_000)).toBe(99);
  expect(series.valueAt(46_000)).toBeUndefined();
  const { values, count } = series.window(46_000 + 90 * 15_000, 46_000 + 93 * 15_000);
  expect([...values.subarray(0, count)]).toEqual([91, 92, 93]);
});
