import type { HpaMemory } from "@plimsoll/core";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isSameMemory, packMemory, unpackMemory } from "../../src/decisions/packed-memory.ts";

const event = fc.record({ change: fc.nat(9), atMs: fc.nat(9) });
const memory: fc.Arbitrary<HpaMemory> = fc.record(
  {
    recommendations: fc.array(
      fc.record({ replicas: fc.constantFrom(3, 4, 0, -0), atMs: fc.double() }, { noNullPrototype: true }),
      {
        maxLength: 12,
      },
    ),
    scaleUpEvents: fc.array(event, { maxLength: 2 }),
    scaleDownEvents: fc.array(event, { maxLength: 2 }),
    unknownHistory: fc.record({ lastScaleMs: fc.nat(9), untilMs: fc.nat(9) }),
    lastGoodSamples: fc.constant({ m: { atMs: 1, samples: { error: "down" } } }),
    unconfirmedScale: fc.record({
      replicas: fc.nat(9),
      scaleUpEvents: fc.array(event, { maxLength: 1 }),
      scaleDownEvents: fc.constant([]),
    }),
  },
  { requiredKeys: ["recommendations", "scaleUpEvents", "scaleDownEvents"], noNullPrototype: true },
);

test("a memory is unpacked as it was, to the order of its fields", () => {
  assertProperty(
    fc.property(memory, (one) => {
      const unpacked = unpackMemory(packMemory(one));
      expect(unpacked).toStrictEqual(one);
      expect(JSON.stringify(unpacked)).toBe(JSON.stringify(one));
    }),
    { numRuns: 1000 },
  );
});

test("two memories are the same only where they are", () => {
  assertProperty(
    fc.property(memory, memory, (one, other) => {
      const isSame = isSameMemory(packMemory(one), other);
      expect(!isSame || JSON.stringify(one) === JSON.stringify(other)).toBe(true);
      expect(isSameMemory(packMemory(one), unpackMemory(packMemory(one)))).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test("a hundred equal recommendations are two columns, one of which is a number", () => {
  const recommendations = Array.from({ length: 100 }, (_, n) => ({ replicas: 3, atMs: n * 3000 }));
  const packed = packMemory({ recommendations, scaleUpEvents: [], scaleDownEvents: [] });
  expect(packed).toMatchObject({ replicas: 3, atMs: recommendations.map(({ atMs }) => atMs) });
  expect(isSameMemory(packed, { recommendations, scaleUpEvents: [], scaleDownEvents: [] })).toBe(true);
});

const recommended = (replicas: readonly number[]) =>
  replicas.map((one, n) => ({ replicas: one, atMs: n * 1000 }));
const up = [{ change: 1, atMs: 5 }];
const known: HpaMemory = {
  recommendations: recommended([3, 3, 4, 3]),
  scaleUpEvents: up,
  scaleDownEvents: [],
};

test("fewer than four recommendations are kept as they are", () => {
  const few = { ...known, recommendations: recommended([3, 3, 3]) };
  expect(packMemory(few)).toBe(few);
  expect(packMemory(known)).toEqual({
    atMs: [0, 1000, 2000, 3000],
    replicas: [3, 3, 4, 3],
    scaleUpEvents: up,
    scaleDownEvents: [],
  });
});

test.each<[what: string, other: HpaMemory | undefined, isSame: boolean]>([
  ["itself", known, true],
  ["a copy, whose empty lists are others", { ...known, scaleDownEvents: [] }, true],
  ["nothing", undefined, false],
  ["other replicas", { ...known, recommendations: recommended([3, 3, 4, 4]) }, false],
  [
    "other times",
    { ...known, recommendations: recommended([3, 3, 4, 3]).map((one) => ({ ...one, atMs: 7 })) },
    false,
  ],
  ["one more recommendation", { ...known, recommendations: recommended([3, 3, 4, 3, 3]) }, false],
  ["one fewer", { ...known, recommendations: recommended([3, 3, 4]) }, false],
  ["other events", { ...known, scaleUpEvents: [{ change: 2, atMs: 5 }] }, false],
  ["no events", { ...known, scaleUpEvents: [] }, false],
  ["events where there were none", { ...known, scaleDownEvents: up }, false],
  ["one more field", { ...known, unknownHistory: { lastScaleMs: 1, untilMs: 2 } }, false],
  [
    "another order of fields",
    { scaleDownEvents: [], scaleUpEvents: up, recommendations: known.recommendations },
    false,
  ],
])("a packed memory is the same as %s: %#", (_, other, isSame) => {
  expect(isSameMemory(packMemory(known), other)).toBe(isSame);
});

test("a memory with its fields in another order is another one: it is stored as another text", () => {
  const { recommendations } = known;
  const calm = packMemory({ recommendations, scaleUpEvents: [], scaleDownEvents: [] });
  expect(isSameMemory(calm, { recommendations, scaleDownEvents: [], scaleUpEvents: [] })).toBe(false);
});

test("a memory that is not packed is the same as itself alone", () => {
  const few = { ...known, recommendations: recommended([3]) };
  expect([isSameMemory(few, few), isSameMemory(few, { ...few })]).toEqual([true, false]);
});
