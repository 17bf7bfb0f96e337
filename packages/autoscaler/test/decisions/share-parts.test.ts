import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { shareParts } from "../../src/decisions/share-parts.ts";

const json = fc.jsonValue({ maxDepth: 4 });

test("what is shared is the same value, to the order of its fields, and both arguments stay as they are", () => {
  assertProperty(
    fc.property(json, json, (former, value) => {
      const before = [JSON.stringify(former), JSON.stringify(value)];
      const shared = shareParts(former, value);
      expect(JSON.stringify(shared)).toBe(before[1]);
      expect(shared).toStrictEqual(value);
      expect([JSON.stringify(former), JSON.stringify(value)]).toEqual(before);
    }),
    { numRuns: 500 },
  );
});

test("an equal value is the former one", () => {
  assertProperty(
    fc.property(json, (value) => {
      expect(shareParts(value, structuredClone(value))).toBe(value);
    }),
    { numRuns: 500 },
  );
});

test("of a value that differs the parts that do not are the former's", () => {
  const former = { status: { replicas: 3, conditions: [{ type: "A" }, { type: "B" }] }, events: [] };
  const value = { status: { replicas: 4, conditions: [{ type: "A" }, { type: "C" }] }, events: [] };
  const shared = shareParts(former, value);
  expect(shared).toEqual(value);
  expect(shared.events).toBe(former.events);
  expect(shared.status.conditions[0]).toBe(former.status.conditions[0]);
});

test("minus zero is not zero, and an absent field is not one that is undefined", () => {
  expect(Object.is(shareParts({ a: 0 }, { a: -0 }).a, -0)).toBe(true);
  expect(Object.keys(shareParts<object>({ a: 1, b: undefined }, { a: 1 }))).toEqual(["a"]);
  expect(Object.keys(shareParts<object>({ a: 1 }, { a: 1, b: undefined }))).toEqual(["a", "b"]);
});

test("fields in another order, and objects of a class, are not shared", () => {
  expect(JSON.stringify(shareParts<object>({ a: 1, b: 2 }, { b: 2, a: 1 }))).toBe('{"b":2,"a":1}');
  const date = new Date(0);
  expect(shareParts({ at: new Date(0) }, { at: date }).at).toBe(date);
  expect(shareParts<object>(JSON.parse('{"__proto__":{"a":1}}'), { a: 1 })).toEqual({ a: 1 });
});
