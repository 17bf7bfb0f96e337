// Generates random evaluations of one External metric.
import * as fc from "fast-check";
import type { DecideInput, DecideResult, HpaMemory } from "../src/index.ts";
import { externalInput, hpaOf, nowMs } from "./fixtures.ts";

const policy = fc.record({
  type: fc.constantFrom("Pods", "Percent"),
  value: fc.integer({ min: 1, max: 200 }),
  periodSeconds: fc.integer({ min: 1, max: 1800 }),
});

/** The rules of one direction. */
export const rules = fc.record(
  {
    stabilizationWindowSeconds: fc.integer({ min: 0, max: 3600 }),
    selectPolicy: fc.constantFrom("Max", "Min", "Disabled"),
    policies: fc.array(policy, { minLength: 1, maxLength: 3 }),
    tolerance: fc.constantFrom("0", "0.05", "100m", "2"),
  },
  { requiredKeys: [] },
);
const behavior = fc.option(fc.record({ scaleUp: rules, scaleDown: rules }, { requiredKeys: [] }), {
  nil: undefined,
});
const age = fc.integer({ min: 0, max: 2_000_000 });

/** A memory of the last half hour. */
export const memory: fc.Arbitrary<HpaMemory> = fc.record({
  recommendations: fc.array(fc.record({ replicas: fc.nat(40), atMs: age.map((ms) => nowMs - ms) }), {
    maxLength: 8,
  }),
  scaleUpEvents: fc.array(fc.record({ change: fc.nat(10), atMs: age.map((ms) => nowMs - ms) }), {
    maxLength: 4,
  }),
  scaleDownEvents: fc.array(fc.record({ change: fc.nat(10), atMs: age.map((ms) => nowMs - ms) }), {
    maxLength: 4,
  }),
});
const bounds = fc
  .tuple(fc.integer({ min: 1, max: 20 }), fc.nat(20))
  .map(([min, more]) => ({ min, max: min + more }));

/** What `inputOf` makes an input of. */
export const evaluation = fc.record({ bounds, behavior, current: fc.nat(45), total: fc.nat(500), memory });

export function inputOf(given: {
  bounds: { min: number; max: number };
  behavior: object | undefined;
  current: number;
  total: number;
}): DecideInput {
  const {
    bounds: { min, max },
    current,
    total,
  } = given;
  const hpa = hpaOf({
    minReplicas: min,
    maxReplicas: max,
    ...(given.behavior && { behavior: given.behavior }),
  });
  return externalInput(String(total), current, { hpa });
}

/** The next input, once these replicas are there and the status is stored. */
export function afterwards(input: DecideInput, { decision }: DecideResult, replicas: number): DecideInput {
  const scale = { ok: true, specReplicas: replicas, statusReplicas: replicas, selector: "app=web" } as const;
  return { ...input, scale, hpa: { ...input.hpa, status: decision.status } };
}
