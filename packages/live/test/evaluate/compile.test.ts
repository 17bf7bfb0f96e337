import { compileQuery } from "@plimsoll/live";
import { expect, test } from "vitest";

test("a plan says which series it needs, and how far back", () => {
  const plan = compileQuery(
    'sum(rate(x_total{code="200"}[10s])) / sum(y) + sum(last_over_time({__name__=~"z.*"}[1m]))',
  );
  expect(plan).toMatchObject({ ok: true, longestRangeMs: 60_000 });
  if (!plan.ok) throw new Error(plan.message);
  expect(plan.selectors.map(({ index, text, name, rangeMs }) => ({ index, text, name, rangeMs }))).toEqual([
    { index: 0, text: 'x_total{code="200"}', name: "x_total", rangeMs: 10_000 },
    { index: 1, text: "y", name: "y", rangeMs: 0 },
    { index: 2, text: '{__name__=~"z.*"}', name: undefined, rangeMs: 60_000 },
  ]);
  expect(plan.selectors.map((selector) => selector.matchesName("zz"))).toEqual([false, false, true]);
});

const hint = `isn't supported in a live query: send the query to Prometheus, without "live"`;

test.each<[string, string]>([
  ["rate(x[5m] offset 1m)", `offset ${hint}`],
  ["x @ 5", `@ ${hint}`],
  ["max_over_time(rate(x[5s])[1m:1s])", `a subquery ${hint}`],
  ["topk(3, x)", `topk() ${hint}`],
  ["label_replace(x, 'a', 'b', 'c', 'd')", `label_replace() ${hint}`],
  ["x ^ 2", `the operator ^ ${hint}`],
  ["'text'", `a text ${hint}`],
  ["rate(x[1.5ms])", "the query cannot be read from"],
  ["rate(x[0.0015])", `the range "0.0015", which is not in whole milliseconds, ${hint}`],
  ["x[5s]", '"x[5s]": is a range, not a result'],
  ["rate(x)", '"x": rate() needs a range, such as rate(x[10s])'],
  ["sum(x[5s])", "must be an instant vector, not a range vector"],
  ["sum(x, y)", "sum() takes 1 argument, not 2"],
  ["1 > 2", "a comparison of scalars needs bool"],
  ["x + bool y", "bool belongs to comparisons only"],
  ["1 and x", "work between vectors only"],
  ["x and on (a) group_left y", "take no group_left or group_right"],
  ["x + on (a) group_left (a) y", "a is in on() and in group_left or group_right"],
  ["1 + on (a) x", "on and ignoring work between vectors only"],
  ['{a=""}', "selects all series: add the name of a metric or a matcher"],
  ['x{__name__="y"}', "the name of the metric is set twice"],
  ['x{a=~"("}', '"(" is not a valid RE2 regular expression'],
  ['x{a=~"(?:(?:a{9}){99}){9}"}', "the regular expression is too large"],
  ["", "the query is empty"],
  [Array.from({ length: 51 }, () => "x").join(" + "), "there are more than 50 selectors"],
  ["(".repeat(99), "brackets are nested more than 50 deep"],
])("%s is refused", (query, message) => {
  expect(compileQuery(query)).toMatchObject({
    ok: false,
    message: expect.stringContaining(message) as string,
  });
});
