import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { convert } from "./rig.ts";

/** Fields of all kinds, in any place. */
const field = fc.constantFrom(
  ...`
advanced annotations apiVersion authenticationRef behavior cooldownPeriod
averageValue customHeaders date days describedObject desiredReplicas durationMinutes end
endDate endTime external fallback finalizers horizontalPodAutoscalerConfig
idleReplicaCount kind labels matchLabels maxReplicaCount maxReplicas metadata
metric metricName metrics minReplicaCount minReplicas name namespace object ownerReferences
period query replicas resource scaleDown scaleTargetRef scalingModifiers schedules selector
serverAddress spec start startTime target threshold timezone tolerance triggers type value
metric-config.external.a.prometheus/query autoscaling.keda.sh/paused __proto__
`
    .trim()
    .split(/\s+/),
);

const leaf = fc.oneof(
  fc.constantFrom(
    "prometheus",
    "cron",
    "cpu",
    "External",
    "Resource",
    "Object",
    "Pods",
    "OneTime",
    "Repeating",
    "a",
    "",
  ),
  fc.constantFrom(
    "AverageValue",
    "Value",
    "Utilization",
    "http://a:9090",
    "0 8 * * *",
    "UTC",
    "08:00",
    "Mon",
    "ScalingSchedule",
  ),
  fc.constantFrom(0, 1, -1, 7, 1e12, 0.5, null, true, false),
  fc.string({ maxLength: 20 }),
);

const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    leaf,
    fc.dictionary(field, tie("tree"), { maxKeys: 8, noNullPrototype: true }),
    fc.array(tie("tree"), { maxLength: 3 }),
  ),
}));

const kinds = [
  ["keda.sh/v1alpha1", "ScaledObject"],
  ["zalando.org/v1", "ScalingSchedule"],
  ["zalando.org/v1", "ClusterScalingSchedule"],
  ["autoscaling/v2", "HorizontalPodAutoscaler"],
  ["autoscaling/v2beta1", "HorizontalPodAutoscaler"],
] as const;

const object = fc.record({
  kind: fc.constantFrom(...kinds),
  metadata: fc.oneof(fc.constant({ name: "a" }), tree),
  spec: fc.dictionary(field, tree, { noNullPrototype: true }),
});

test("whatever is in the fields, it ends with objects that can be applied or with problems", async () => {
  await assertProperty(
    fc.asyncProperty(fc.array(object, { minLength: 1, maxLength: 3 }), async (objects) => {
      const text = objects
        .map(({ kind: [apiVersion, kind], metadata, spec }) =>
          stringify({ apiVersion, kind, metadata, spec }),
        )
        .join("---\n");
      const { code, objects: written, problems } = await convert(text);
      expect(code).toBe(problems.length > 0 ? 1 : 0);
      expect(written.length).toBeLessThanOrEqual(objects.length);
    }),
    { numRuns: 5000 },
  );
});
