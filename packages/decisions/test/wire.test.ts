import { expect, test } from "vitest";
import { itemsOf, loggedFrom, rowFrom, shadowItemFrom } from "../src/index.ts";

const row = { resource: "horizontalpodautoscalers", namespace: "default", name: "shop", heldBy: "max" };
const hostile = ["__proto__", "constructor", "later", ["max"], { toString: 1 }, null, 1];

test.each(hostile)("a row held by %j is not one that is known here", (heldBy) => {
  expect(rowFrom({ ...row, heldBy })).toBeUndefined();
});

test("a row with fields of other types has none of them", () => {
  const fields = ["uid", "target", "mode", "at", "since", "note", "min", "verdict", "otherWriter"];
  for (const value of [null, Infinity, [], {}, ["x"]]) {
    const wrong = Object.fromEntries(fields.map((name) => [name, value]));
    expect(rowFrom({ ...row, ...wrong, min: "1" })).toEqual(rowFrom(row));
  }
});

test.each([null, "x", [], { items: {} }])("of %j nothing is read, and nothing fails", (value) => {
  expect([itemsOf(value), rowFrom(value), loggedFrom(value)]).toEqual([[], undefined, undefined]);
  expect(shadowItemFrom(value)).toMatchObject({ name: "", agreed: 0, isApart: false });
});
