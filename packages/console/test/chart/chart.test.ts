import { approximateFloat, parseQuantity } from "@plimsoll/core/quantity";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { momentText, numberText, sentenceOf } from "../../src/chart/sentence.ts";
import { historyCharts, metricChart, replicaChart } from "../../src/chart/series.ts";
import { amountOf } from "../../src/ui/amount.ts";
import { fixtureObjects } from "../fixtures/objects.ts";
import { historyOf } from "../fixtures/world.ts";

const [shop, , importer] = fixtureObjects.map((object) => historyOf(object).decisions);

test("replicas, proposals and limits are those of the decisions", () => {
  const chart = replicaChart(shop ?? []);
  expect(chart.lines.map(({ name, values }) => [name, values.at(-1)])).toEqual([
    ["replicas", 8],
    ["proposed", 5],
    ["max", 40],
    ["min", 2],
  ]);
  expect(momentText(chart, 23)).toBe("10:00:02: replicas 8, proposed 5, max 40, min 2");
  expect(sentenceOf(chart)).toContain("replicas from 5 to 8, between 5 and 8; proposed");
});

test("a metric has its target and the band in which nothing changes", () => {
  const chart = metricChart(shop ?? [], 0);
  expect(chart?.unit).toBe("%");
  expect(chart?.lines[1]?.values.every((value) => value === 60)).toBe(true);
  expect(chart?.band?.low).toBeCloseTo(54);
  expect(chart?.band?.high).toBeCloseTo(66);
  expect(metricChart(importer ?? [], 0)).toBeUndefined();
  expect(metricChart(shop ?? [], 7)).toBeUndefined();
});

test("a history is one chart of replicas and one for each metric", () => {
  const charts = historyCharts({
    times: [1, 2],
    notes: [],
    series: [
      { kind: "current", name: "replicas", values: [1, 2] },
      { kind: "target", metric: 1, name: "queue, per pod", values: [30, 30] },
      { kind: "metric", metric: 1, name: "queue, per pod", values: [40, 40] },
      { kind: "metric", metric: 0, name: "cpu, % of requests", values: [50, null] },
      { kind: "target", metric: 0, name: "cpu, % of requests", values: [60, 60] },
      { kind: "metric", metric: 2, name: "cpu, per pod", values: [100, 110] },
    ],
  });
  expect(charts.map(({ title, unit, lines }) => [title, unit, lines.map(({ name }) => name)])).toEqual([
    ["Replicas, desired, limits", "", ["replicas"]],
    ["cpu, % of requests and target", "%", ["cpu, % of requests", "target"]],
    ["queue, per pod and target", "", ["queue, per pod", "target"]],
  ]);
  const alone = historyCharts({
    times: [1],
    notes: [],
    series: [{ kind: "metric", metric: 0, name: "cpu, per pod", values: [100] }],
  });
  expect(alone.map(({ title }) => title)).toEqual(["cpu, per pod"]);
  expect(sentenceOf({ title: "", unit: "", times: [], lines: [] })).toBe("There are no values yet.");
});

test("an amount to draw is near the exact one", () => {
  const suffix = fc.constantFrom(
    "",
    "n",
    "u",
    "m",
    "k",
    "M",
    "G",
    "T",
    "P",
    "Ki",
    "Mi",
    "Gi",
    "Ti",
    "Pi",
    "e3",
    "E2",
  );
  assertProperty(
    fc.property(fc.integer({ min: -1_000, max: 1_000 }), fc.nat(999), suffix, (whole, part, end) => {
      const text = `${whole}.${part}${end}`;
      const exact = approximateFloat(parseQuantity(text));
      // Quantities end at a billionth, and are rounded up there.
      expect(Math.abs((amountOf(text) ?? Number.NaN) - exact)).toBeLessThanOrEqual(
        1e-9 + Math.abs(exact) * 1e-9,
      );
    }),
    { numRuns: 500 },
  );
  expect(["", "x", "1Q", "--1", "1 m"].map(amountOf)).toEqual([null, null, null, null, null]);
});

test.each([
  [1234.5, "", "1,235"],
  [0.12345, "", "0.123"],
  [34, "%", "34%"],
  [null, "%", "no value"],
])("%s%s is shown as %s", (value, unit, text) => {
  expect(numberText(value, unit)).toBe(text);
});
