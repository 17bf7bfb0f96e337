import { countsOf } from "@plimsoll/decisions";
import { expect, test } from "vitest";
import { filter, nextSort, order, selectionOf } from "../../src/fleet/select.ts";
import { windowOf } from "../../src/fleet/use-window.ts";
import { createWorld } from "../fixtures/world.ts";

const { rows } = createWorld(300);
const select = (params: Readonly<Record<string, string>>) => {
  const selection = selectionOf(params);
  return filter(order(rows, selection.sort, selection.isDescending), selection);
};
const names = (params: Readonly<Record<string, string>>) =>
  select(params).map(({ namespace, name }) => `${namespace}/${name}`);

test("each word of the filter has to be somewhere in the row", () => {
  expect(names({ q: "shop" })).toEqual(["default/shop"]);
  expect(names({ q: "queue_depth PAY/billing" })).toEqual(["pay/billing"]);
  expect(names({ q: "pay/billing stabilize" })).toEqual([]);
});

test("counts are of all states, and their sum is that of the rows", () => {
  const counts = countsOf(rows);
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(rows.length);
  expect(select({ state: "held" })).toHaveLength(counts.held);
});

test("a heading sorts, and again the other way; what is unknown comes last in both", () => {
  const wanted = (params: Readonly<Record<string, string>>) => select(params).map(({ proposed }) => proposed);
  const down = wanted({ sort: "want" });
  const known = down.filter((value) => value !== null);
  expect(known).toEqual(known.toSorted((a, b) => b - a));
  const up = wanted({ sort: "want", order: "reverse" });
  expect(up.filter((value) => value !== null)).toEqual(known.toReversed());
  expect([down.at(-1), up.at(-1)]).toEqual([null, null]);
  expect(nextSort(selectionOf({ sort: "want" }), "want")).toEqual({ sort: "want", order: "reverse" });
  expect(nextSort(selectionOf({ sort: "want", order: "reverse" }), "want")).toEqual({
    sort: "want",
    order: "",
  });
  expect(nextSort(selectionOf({ sort: "want" }), "name")).toEqual({ sort: "", order: "" });
});

test.each([
  [0, { topPx: 0, viewPx: 900 }, { first: 0, end: 0, above: 0, below: 0 }],
  [10_000, { topPx: 150, viewPx: 900 }, { first: 0, end: 27, above: 0, below: 9_973 * 34 }],
  [10_000, { topPx: 0, viewPx: 900 }, { first: 0, end: 36, above: 0, below: 9_964 * 34 }],
  [10_000, { topPx: -34_000, viewPx: 900 }, { first: 992, end: 1_036, above: 992 * 34, below: 8_964 * 34 }],
  [10_000, { topPx: -10_000 * 34, viewPx: 900 }, { first: 9_992, end: 10_000, above: 9_992 * 34, below: 0 }],
])("of %i rows those in view are in the document", (count, place, expected) => {
  expect(windowOf(count, 34, place)).toEqual(expected);
});
