import { expect, test } from "vitest";
import { enforceNamespace } from "../../src/enforce/index.ts";

const shop = { label: "namespace", namespace: "shop" };
const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];
const none = { maxRangeMs: 0, maxEvaluations: 1, maxLookbackMs: 0, hasFixedTime: false };

test.each([
  ["a", none],
  ["rate(a[5m])", { ...none, maxRangeMs: 5 * minute, maxLookbackMs: 5 * minute }],
  ["rate(a[30d])", { ...none, maxRangeMs: 30 * day, maxLookbackMs: 30 * day }],
  ["rate(a[1h30m] offset 1d)", { ...none, maxRangeMs: 1.5 * hour, maxLookbackMs: 25.5 * hour }],
  ["a offset -1d", none],
  ["-a + b offset 1h", { ...none, maxLookbackMs: hour }],
  [
    "rate(a[5m]) + b[300:60]",
    { ...none, maxRangeMs: 5 * minute, maxEvaluations: 6, maxLookbackMs: 5 * minute },
  ],
  ["max_over_time(a[1h:1s])", { ...none, maxRangeMs: hour, maxEvaluations: 3_601, maxLookbackMs: hour }],
  ["max_over_time(a[1h:])", { ...none, maxRangeMs: hour, maxEvaluations: 61, maxLookbackMs: hour }],
  [
    "max_over_time(sum_over_time(rate(a[5m])[10m:1m])[1h:10m] offset 1h)",
    { ...none, maxRangeMs: hour, maxEvaluations: 11 * 7, maxLookbackMs: 2 * hour + 15 * minute },
  ],
  // The inner subquery is evaluated over all of the outer's time, and not only where the outer one evaluates it.
  [
    "max_over_time(max_over_time(a[1m:1s])[1d:12h])",
    { ...none, maxRangeMs: day, maxEvaluations: 86_461, maxLookbackMs: day + minute },
  ],
  // A subquery costs without series, too.
  ["sum_over_time(vector(1)[1h:1s])", { ...none, maxRangeMs: hour, maxEvaluations: 3_601 }],
  ["a @ 100", { ...none, hasFixedTime: true }],
  ["a @ end() offset 1h", { ...none, maxLookbackMs: hour }],
  [
    "max_over_time(a[1d:1h] @ 100 offset 1h)",
    { maxRangeMs: day, maxEvaluations: 25, maxLookbackMs: day + hour, hasFixedTime: true },
  ],
  // The time within counts, whatever is around it.
  [
    "max_over_time((a @ 100)[1d:1h] offset 9d)",
    { ...none, maxRangeMs: day, maxEvaluations: 25, hasFixedTime: true },
  ],
])("the cost of %s", (query, cost) => {
  expect(enforceNamespace(query, shop)).toMatchObject({ ok: true, cost });
});

test("a step that is left out is that of the server", () => {
  const result = enforceNamespace("max_over_time(a[1h:])", { ...shop, defaultStepMs: 15 * second });
  expect(result).toMatchObject({ cost: { maxEvaluations: 241 } });
});

test("each selector has its place, name and times", () => {
  const query = 'a[5m] offset 1m + {"b.c"} @ 2 + {d="e"}[1h:30m]';
  const result = enforceNamespace(query, shop);
  const selectors = result.ok ? result.selectors : [];
  expect(selectors.map(({ from, to }) => query.slice(from, to))).toEqual(["a", '{"b.c"}', '{d="e"}']);
  expect(selectors).toMatchObject([
    { metricName: "a", rangeMs: 5 * minute, lookbackMs: 6 * minute, fixedAtMs: undefined, evaluations: 1 },
    { metricName: "b.c", rangeMs: 0, lookbackMs: 0, fixedAtMs: 2 * second, evaluations: 1 },
    { metricName: undefined, rangeMs: 0, lookbackMs: hour, fixedAtMs: undefined, evaluations: 3 },
  ]);
});
