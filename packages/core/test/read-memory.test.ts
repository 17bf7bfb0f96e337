// A memory from storage may hold anything.
import { expect, test } from "vitest";
import { readMemory } from "../src/decide/memory.ts";
import type { HpaMemory } from "../src/index.ts";

const empty = { recommendations: [], scaleUpEvents: [], scaleDownEvents: [] };
const good = { replicas: 3, change: 2, atMs: 1 };
const odd = [null, 7, {}, { ...good, atMs: Number.NaN }, { replicas: "3", change: "2", atMs: 1 }];
const read = (memory: unknown) => readMemory(memory as HpaMemory);
const history = { lastScaleMs: 1, untilMs: 2 };

test.each<[string, unknown, object]>([
  ["nothing", undefined, empty],
  ["null", null, empty],
  ["text", "x", empty],
  ["lists that are none", { recommendations: "x", scaleUpEvents: {}, scaleDownEvents: 7 }, empty],
  [
    "lists with odd entries",
    { recommendations: [...odd, good], scaleUpEvents: [good, ...odd], scaleDownEvents: odd },
    { recommendations: [good], scaleUpEvents: [good], scaleDownEvents: [] },
  ],
  ["samples that are no object", { lastGoodSamples: "x" }, empty],
  ["samples", { lastGoodSamples: { a: {} } }, { ...empty, lastGoodSamples: { a: {} } }],
  ["failures that are no object", { failingSinceMs: 7 }, empty],
  ["failures", { failingSinceMs: { a: 1 } }, { ...empty, failingSinceMs: { a: 1 } }],
  ["a history that is none", { unknownHistory: null }, empty],
  ["a history without an end", { unknownHistory: { lastScaleMs: 1 } }, empty],
  ["a history without a beginning", { unknownHistory: { untilMs: 2 } }, empty],
  ["a history", { unknownHistory: history }, { ...empty, unknownHistory: history }],
  ["a scale that is none", { unconfirmedScale: null }, empty],
  ["a scale without replicas", { unconfirmedScale: { replicas: Number.NaN } }, empty],
  [
    "a scale with odd entries in both lists",
    { unconfirmedScale: { replicas: 4, scaleUpEvents: [...odd, good], scaleDownEvents: [good, ...odd] } },
    { ...empty, unconfirmedScale: { replicas: 4, scaleUpEvents: [good], scaleDownEvents: [good] } },
  ],
  [
    "lists of good entries",
    { recommendations: [good], scaleUpEvents: [good, good], scaleDownEvents: [good] },
    { recommendations: [good], scaleUpEvents: [good, good], scaleDownEvents: [good] },
  ],
  [
    "a scale with odd events",
    { unconfirmedScale: { replicas: 4, scaleUpEvents: [good, null], scaleDownEvents: "x" } },
    { ...empty, unconfirmedScale: { replicas: 4, scaleUpEvents: [good], scaleDownEvents: [] } },
  ],
])("%s: what cannot be used is left out", (_, memory, expected) => {
  expect(read(memory)).toStrictEqual(expected);
});

test("a list whose entries are all valid is returned as it is", () => {
  const recommendations = [good, { replicas: 0, atMs: 0 }];
  expect(read({ ...empty, recommendations }).recommendations).toBe(recommendations);
});
