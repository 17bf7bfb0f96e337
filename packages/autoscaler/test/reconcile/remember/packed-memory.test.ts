import type { HpaMemory } from "@plimsoll/core";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isSameMemory, packMemory, unpackMemory } from "../../../src/reconcile/remember/packed-memory.ts";

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
