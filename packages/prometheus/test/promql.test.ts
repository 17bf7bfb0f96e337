import { expect, test } from "vitest";
import { rangesOf, withMatchers } from "../src/index.ts";

test.each([
  ["up", []],
  ['sum(rate(x{a="b"}[5m])) by (pod)', [300_000]],
  ["rate(x[1m]) / rate(y[2m])", [60_000, 120_000]],
  ["max_over_time(rate(x[1m])[1h:30s])", [60_000, 3_600_000]],
  ['x{a="[5m]"}', []],
  ["x # [5m]\n[1m]", [60_000]],
  ["x[$__range]", [Number.NaN]],
  ['x{a="b [5m]', []],
  ["x{a=`b [5m]", []],
  ["x{a='b\\", []],
  ["[[5m]", [300_000]],
  ["x{a='[1m]',b=`[2m]`}[ 3m ]", [180_000]],
])("the ranges of %s", (promql, expected) => {
  expect(rangesOf(promql)).toEqual(expected);
});

const present = [{ label: "pod", operator: "!=", value: "" }] as const;

test.each([
  ["up", 'up{pod!=""}'],
  ["up{}", 'up{pod!=""}'],
  [' up{a="b"} ', 'up{a="b",pod!=""}'],
  ['up{a="b",}', 'up{a="b",pod!=""}'],
  ['{__name__=~"^a}.*",b!=""}', '{__name__=~"^a}.*",b!="",pod!=""}'],
])("extends %s", (selector, expected) => {
  expect(withMatchers(selector, present)).toBe(expected);
});

test.each([
  "",
  "a b",
  'up{a="b"} or down{c="d"}',
  'up{a="b"} # note',
  "rate(up[5m])",
  "up{a={}}",
  '{a="b"',
  '{a="b}',
  "sum(up{})",
])("does not touch %j", (selector) => {
  expect(withMatchers(selector, present)).toBeUndefined();
});
