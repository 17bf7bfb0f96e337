import type { Arbitrary } from "fast-check";
import * as fc from "fast-check";
import { hostileMetric, labelName, listOf, nastyName, quantity, repeated } from "./words.ts";

const selector: Arbitrary<unknown> = fc.oneof(
  fc.constant({}),
  fc
    .dictionary(labelName, fc.constantFrom("a", "b{n}", ""))
    .map((matchLabels) => ({ selector: { matchLabels } })),
  fc.integer({ min: 1, max: 5000 }).map((times) => ({
    selector: { matchLabels: { $map: { key: "key-{i}", value: "v{n}" }, times } },
  })),
  fc.constantFrom("In", "NotIn", "Exists", "DoesNotExist", "Near").map((operator) => ({
    selector: { matchExpressions: [{ key: "a", operator, values: { $list: "value-{i}-{n}", times: 2000 } }] },
  })),
);

const metricName: Arbitrary<unknown> = fc.oneof<fc.MaybeWeightedArbitrary<unknown>[]>(
  {
    weight: 3,
    arbitrary: fc.oneof(hostileMetric, fc.constant("hostile_{i}")),
  },
  { weight: 1, arbitrary: nastyName },
  { weight: 1, arbitrary: repeated(fc.constant("long_{n}_"), 2000) },
);

const metric = fc.tuple(metricName, selector).map(([name, more]) => ({ name, ...(more as object) }));
const average = quantity.map((averageValue) => ({ type: "AverageValue", averageValue }));
const value = quantity.map((text) => ({ type: "Value", value: text }));
const utilization = fc
  .constantFrom(1, 2_147_483_647)
  .map((percent) => ({ type: "Utilization", averageUtilization: percent }));

const one: Arbitrary<unknown> = fc.oneof(
  fc.tuple(metric, average).map(([m, target]) => ({ type: "Pods", pods: { metric: m, target } })),
  fc
    .tuple(metric, fc.oneof(average, value))
    .map(([m, target]) => ({ type: "External", external: { metric: m, target } })),
  fc.tuple(metric, value).map(([m, target]) => ({
    type: "Object",
    object: {
      metric: m,
      target,
      describedObject: { apiVersion: "apps/v1", kind: "Deployment", name: "target" },
    },
  })),
  // Of itself.
  fc.tuple(metric, value).map(([m, target]) => ({
    type: "Object",
    object: {
      metric: m,
      target,
      describedObject: {
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        name: "horizontalpodautoscaler-0-0-{n}",
      },
    },
  })),
  utilization.map((target) => ({ type: "Resource", resource: { name: "cpu", target } })),
);

export function metrics(atMost: number): Arbitrary<unknown> {
  return fc.oneof(fc.array(one, { minLength: 1, maxLength: 5 }), listOf(one, atMost));
}
