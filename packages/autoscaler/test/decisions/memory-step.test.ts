import { decide, type HpaMemory } from "@plimsoll/core";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { memoryBefore, memoryStep } from "../../src/decisions/memory-step.ts";

const recommendation = fc.record({ replicas: fc.nat(3), atMs: fc.nat(3) }, { noNullPrototype: true });
const memory: fc.Arbitrary<HpaMemory> = fc.record(
  {
    recommendations: fc.array(recommendation, { maxLength: 4 }),
    scaleUpEvents: fc.array(fc.record({ change: fc.nat(2), atMs: fc.nat(2) }), { maxLength: 1 }),
    scaleDownEvents: fc.constant([]),
    unknownHistory: fc.record({ lastScaleMs: fc.nat(2), untilMs: fc.nat(2) }),
  },
  { requiredKeys: ["recommendations", "scaleUpEvents", "scaleDownEvents"], noNullPrototype: true },
);

test("a step leads back to the memory before, whatever the two are", () => {
  assertProperty(
    fc.property(
      fc.option(memory, { nil: undefined }),
      memory,
      fc.boolean(),
      (before, other, isSameBeside) => {
        const after = isSameBeside ? { ...other, ...before, recommendations: other.recommendations } : other;
        const back = memoryBefore(memoryStep(before, after), after);
        expect(JSON.stringify(back)).toBe(JSON.stringify(before));
        expect(back).toStrictEqual(before);
      },
    ),
    { numRuns: 1000 },
  );
});

const steady = [
  ["without behavior", undefined, 3],
  ["with behavior", {}, 3],
  // What counts against a policy stays in the memory when it has expired.
  ["with behavior, after it has scaled,", {}, 2],
] as const;

test.each(steady)(
  "the steps of a steady object %s keep one recommendation each at most",
  (_, behavior, first) => {
    const target = { type: "AverageValue", averageValue: "10" };
    const spec = {
      scaleTargetRef: { kind: "Deployment", name: "web" },
      maxReplicas: 10,
      ...(behavior === undefined ? {} : { behavior }),
      metrics: [{ type: "External", external: { metric: { name: "queue" }, target } }],
    };
    const kinds: string[] = [];
    let before: HpaMemory | undefined;
    for (let n = 0; n < 60; n++) {
      const input = {
        nowMs: n * 15_000,
        hpa: { metadata: { name: "web", namespace: "shop" }, spec },
        scale: { ok: true, specReplicas: n === 0 ? first : 3, statusReplicas: 3, selector: "app=web" },
        pods: { ok: true, pods: [] },
        samples: [{ values: [{ value: "30" }] }],
      } as const;
      const { memory: after } = decide(input, before);
      const step = memoryStep(before, after);
      kinds.push(step === "appended" ? step : step.kind);
      expect(memoryBefore(step, after)).toStrictEqual(before);
      before = after;
    }
    expect([kinds[0], new Set(kinds.slice(1))]).toEqual(["whole", new Set(["appended", "replaced"])]);
  },
);
