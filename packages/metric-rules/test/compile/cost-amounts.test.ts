// Queries that read, hold, or make too many series or samples.
import { expect, test } from "vitest";
import { verdict } from "./verdict.ts";

test.each([
  [
    "a window that slides over a day",
    "max_over_time(quantile_over_time(0.5, a[1d])[1d:30s])",
    /"a" is read again at each step of a subquery, 2881d of samples in all; at most 30d/,
  ],
  [
    "a subquery of milliseconds in one of hours",
    "sum_over_time(sum_over_time(vector(1)[1s:1ms])[12h:12h])",
    /43201001 evaluations, more than 3000/,
  ],
  [
    "count_values at each step",
    'max_over_time(count_values("v", a)[1d:30s])',
    /other series at each of 2881 steps; at most 16/,
  ],
  [
    "count_values at the steps of several subqueries",
    Array.from({ length: 3 }, (_, at) => `max_over_time(count_values("v${at}", a)[9s:1s])`).join(" or "),
    /other series at each of 30 steps; at most 16/,
  ],
  [
    "an aggregation by pod at each step",
    "max_over_time(sum by (pod) (rate(x[5m]))[1d:30s])",
    /"max_over_time\(sum by .*" holds 5762 samples of each series at a time, .* at most 3000 are allowed: use a longer step/,
  ],
  [
    "an operation at each step",
    "max_over_time((sum by (pod) (a) / sum by (pod) (b))[1d:1m])",
    /holds 4323 samples of each series/,
  ],
  [
    "an aggregation by a namespace that the query writes",
    'max_over_time(sum by (namespace) (label_replace(a, "namespace", "$1", "pod", "(.*)"))[1d:30s])',
    /holds 5762 samples of each series/,
  ],
  [
    "series of unions at each step",
    "max_over_time((a or b or c or d)[5h:30s])",
    /holds 4808 samples of each series/,
  ],
  [
    "topk of each pod at each step",
    "max_over_time(topk by (pod) (50, a)[1h:30s])",
    /reserves 6050 series for each group at all steps of its subqueries; at most 3000/,
  ],
  [
    "a join that copies many labels",
    `a * on () group_left (${Array.from({ length: 31 }, (_, at) => `l${at}`).join(", ")}) b`,
    /is one of the parts that copy 31 labels into each series of a join.*at most 30/,
  ],
  [
    "joins that copy labels again",
    `a * on () group_left (${Array.from({ length: 8 }, (_, at) => `l${at}`).join(", ")}) b * on (pod) c * on (pod) d + e`,
    /copy 32 labels into each series of a join, labels of earlier joins and .* included; at most 30/,
  ],
  [
    "a join that copies labels at each step of a subquery",
    "max_over_time((a * on (pod) group_left (x) b)[1d:10m])",
    /copy 145 labels into each series of a join, .* at most 30 .*copy labels around the subquery/,
  ],
  [
    "joins of the series that a subquery made",
    "max by (pod, x) (max_over_time(((a) * on (pod) group_left (x) b)[10s:1s])) * on (pod) group_left (y) c",
    /copy 33 labels into each series of a join/,
  ],
  [
    "copies of joined labels",
    `label_join(a * on () group_left (s, t, u, v, w, x, y, z) b, "p", "", ${Array.from({ length: 3 }, () => '"s", "t", "u", "v", "w", "x", "y", "z"').join()})`,
    /copy 32 labels into each series of a join/,
  ],
  [
    "copies of joined labels that an aggregation keeps",
    `sum by (v) (label_join(a * on () group_left (x, y, z) b, "v", "", "x", "y", "z", "x", "y", "z")) * on (p) c * on (p) d * on (p) e * on (p) f`,
    /copy 33 labels into each series of a join/,
  ],
  ["topk of each pod", "topk by (pod) (99999, a)", /reserves 99999 series for each group; at most 100/],
  ["bottomk of an unknown number", "bottomk(scalar(count(a)), a) without (b)", /an unknown number of series/],
  ["limitk of infinitely many", "limitk by (pod) (+Inf, a)", /an unknown number of series/],
  [
    "a step that the server chooses",
    "max_over_time(a[1d:]) + max_over_time(b[1d:])",
    /5762 evaluations, more than 3000/,
  ],
  [
    "a step of milliseconds",
    "max_over_time(a[1s:5ms])",
    /takes 200 steps a second; at most 1 is allowed: use a step of 1s/,
  ],
  [
    "quantiles of quantiles",
    'histogram_quantiles(label_replace(histogram_quantiles(a, "p", 0.1, 0.5, 0.9, 1), "le", "+Inf", "", ""), "q", 0.1, 0.5, 0.9, 1)',
    /makes 16 series of each series; at most 10/,
  ],
  [
    "many quantiles",
    `histogram_quantiles(a, "q", ${Array.from({ length: 11 }, (_, at) => at / 10).join(", ")})`,
    /11 series/,
  ],
])("%s is refused", (_what, query, message) => {
  expect(verdict(query)).toMatch(/^TooCostly/);
  expect(verdict(query)).toMatch(message);
});
