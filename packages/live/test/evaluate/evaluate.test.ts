import { expect, test } from "vitest";
import { ask, series } from "./world.ts";

const a = { __name__: "x_total", pod: "a", code: "200" };
const b = { __name__: "x_total", pod: "b", code: "500" };
const rising = [series(a, "0 1 2 3 4 5 6 7 8 9 10"), series(b, "0 2 4 6 8 10 12 14 16 18 20")];

test.each<[string, unknown]>([
  ["x_total", { "__name__=x_total code=200 pod=a": 10, "__name__=x_total code=500 pod=b": 20 }],
  ['x_total{code!~"5.."}', { "__name__=x_total code=200 pod=a": 10 }],
  ['{pod="b"}', { "__name__=x_total code=500 pod=b": 20 }],
  ["rate(x_total[5s])", { "code=200 pod=a": 1, "code=500 pod=b": 2 }],
  ["increase(x_total[5s])", { "code=200 pod=a": 5, "code=500 pod=b": 10 }],
  ["irate(x_total[5s])", { "code=200 pod=a": 1, "code=500 pod=b": 2 }],
  [
    "last_over_time(x_total[5s])",
    { "__name__=x_total code=200 pod=a": 10, "__name__=x_total code=500 pod=b": 20 },
  ],
  ["avg_over_time(x_total[2s])", { "code=200 pod=a": 9.5, "code=500 pod=b": 19 }],
  ["sum(rate(x_total[5s]))", { "": 3 }],
  ["sum by (pod) (x_total)", { "pod=a": 10, "pod=b": 20 }],
  ["avg without (pod, code) (x_total)", { "": 15 }],
  ["quantile(0.5, x_total)", { "": 15 }],
  ["x_total > 15", { "__name__=x_total code=500 pod=b": 20 }],
  ["x_total > bool 15", { "code=200 pod=a": 0, "code=500 pod=b": 1 }],
  ["100 - x_total", { "code=200 pod=a": 90, "code=500 pod=b": 80 }],
  ["-x_total", { "code=200 pod=a": -10, "code=500 pod=b": -20 }],
  ["sum by (pod) (x_total) / on (pod) x_total", { "pod=a": 1, "pod=b": 1 }],
  ["x_total / on (pod) group_left sum by (pod) (x_total)", { "code=200 pod=a": 1, "code=500 pod=b": 1 }],
  ['x_total and x_total{pod="a"}', { "__name__=x_total code=200 pod=a": 10 }],
  ['x_total unless x_total{pod="a"}', { "__name__=x_total code=500 pod=b": 20 }],
  ["nosuch or vector(0)", { "": 0 }],
  ["clamp_max(x_total, 15)", { "code=200 pod=a": 10, "code=500 pod=b": 15 }],
  ["clamp(x_total, 3, 2)", {}],
  ["scalar(sum(x_total)) / 2", 15],
  ["scalar(x_total)", Number.NaN],
  ["1m + 0x10", 76],
])("%s", (query, expected) => {
  expect(ask(query, rising)).toEqual(expected);
});

test("a counter that restarts rises from 0", () => {
  expect(ask("increase(x_total[5s])", [series(a, "_ _ _ _ _ _ 10 12 2 4 6")])).toEqual({
    "code=200 pod=a": 10,
  });
});

test("a range does not have its first instant", () => {
  expect(ask("count_over_time(x_total[5s])", rising)).toEqual({ "code=200 pod=a": 5, "code=500 pod=b": 5 });
});

test("one sample has no rate", () => {
  expect(ask("rate(x_total[5s])", [series(a, "_ _ _ _ _ _ _ _ _ _ 5")])).toEqual({});
});

test("a stale series has no value, and no sample in a range", () => {
  const ended = [series(a, "1 2 3 4 5 6 7 8 9 10 stale")];
  expect(ask("x_total", ended)).toEqual({});
  expect(ask("count_over_time(x_total[5s])", ended)).toEqual({ "code=200 pod=a": 4 });
});

test("a value is too old after the lookback", () => {
  const old = [series(a, "1 2 3")];
  expect(ask("x_total", old, { lookbackMs: 8_001 })).toEqual({ "__name__=x_total code=200 pod=a": 3 });
  expect(ask("x_total", old, { lookbackMs: 8_000 })).toEqual({});
});

test("a sum carries what rounding loses", () => {
  const values = ["1e100", "1", "-1e100", "1"];
  const found = values.map((value, at) => series({ __name__: "x", pod: `${at}` }, value));
  expect(ask("sum(x)", found, { atSeconds: 0 })).toEqual({ "": 2 });
});

test("a quantile of a classic histogram", () => {
  const bucket = (le: string, count: number) => series({ __name__: "l_bucket", le }, `${count}`);
  const buckets = [bucket("0.1", 5), bucket("0.5", 8), bucket("1", 10), bucket("+Inf", 10), bucket("bad", 1)];
  expect(ask("histogram_quantile(0.9, l_bucket)", buckets, { atSeconds: 0 })).toEqual({ "": 0.75 });
});

test.each<[string, string]>([
  ["rate({pod=~'.+'}[5s])", "Duplicate"],
  ["x_total + on () x_total", "Match"],
  ["x_total + on (zone) vector(1)", "Match"],
])("%s ends with %s", (query, reason) => {
  const y = { ...a, __name__: "y_total" };
  expect(ask(query, [...rising, series(y, "0 1 2 3 4 5 6 7 8 9 10")])).toBe(reason);
});

test("an evaluation reads a bounded number of samples", () => {
  expect(ask("sum(rate(x_total[10s]))", rising, { maxRows: 20 })).toBe("TooMuch");
  expect(ask("sum(rate(x_total[10s]))", rising, { maxRows: 30 })).toEqual({ "": 3 });
});

test("many groups cost as much as many series", () => {
  const many = Array.from({ length: 20_000 }, (_, at) => series({ __name__: "x", pod: `${at}` }, "1"));
  expect(Object.keys(ask("sum by (pod) (x)", many, { atSeconds: 0 }) as object)).toHaveLength(20_000);
  // One for each row of each step: none is visited twice.
  expect(ask("sum by (pod) (x)", many, { atSeconds: 0, maxRows: 40_000 })).not.toBe("TooMuch");
});
