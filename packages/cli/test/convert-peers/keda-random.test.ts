import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { cpu, cron, prometheus, scaledObject } from "./keda-objects.ts";
import { convert } from "./rig.ts";

const whole = fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined });
const text = fc.constantFrom("0", "1", "2.5", "100", "-1", "1e9", "many", "");

const trigger = fc.oneof(
  fc.constant(cpu),
  fc
    .record({ name: fc.string({ maxLength: 80 }), desiredReplicas: fc.constantFrom("1", "7", "200", "x") })
    .map(({ name, desiredReplicas }) => cron({ desiredReplicas }, { name })),
  fc
    .record({
      threshold: text,
      activationThreshold: text,
      ignoreNullValues: fc.constantFrom("true", "false", "maybe"),
      query: fc.constantFrom("sum(a)", "a # b", 'a{b="<<c>>"}', "a{", "vector(1)"),
      serverAddress: fc.constantFrom("http://a:9090", "https://b/prometheus", "c:9090"),
      metricType: fc.constantFrom("Value", "AverageValue", undefined),
    })
    .map(({ metricType, ...metadata }) => prometheus(metadata, { metricType })),
);

const annotation = fc.constantFrom(
  "paused",
  "paused-replicas",
  "paused-scale-in",
  "paused-scale-out",
  "force-activation",
);

const object = fc.record({
  spec: fc.record({
    minReplicaCount: whole,
    maxReplicaCount: whole,
    idleReplicaCount: whole,
    cooldownPeriod: whole,
    pollingInterval: whole,
    triggers: fc.array(trigger, { maxLength: 5 }),
    fallback: fc.option(
      fc.record({
        failureThreshold: fc.integer({ min: 0, max: 3 }),
        replicas: fc.integer({ min: 0, max: 9 }),
        behavior: fc.constantFrom(
          "static",
          "currentReplicas",
          "currentReplicasIfHigher",
          "currentReplicasIfLower",
        ),
      }),
      { nil: undefined },
    ),
  }),
  annotations: fc.dictionary(
    annotation.map((name) => `autoscaling.keda.sh/${name}`),
    fc.constantFrom("true", "false", "3"),
  ),
});

test("whatever the object, the API server and the adapter take what is written, or a problem says why nothing is", async () => {
  let written = 0;
  await assertProperty(
    fc.asyncProperty(object, async ({ spec, annotations }) => {
      // The rig compares with the definition, and loads the rules.
      const { code, objects, rules, problems } = await convert(
        stringify(scaledObject(spec, { annotations })),
      );
      written += objects.length;
      expect([code, objects.length, problems.length > 0]).toEqual(code === 0 ? [0, 1, false] : [1, 0, true]);
      expect(rules.length).toBeLessThanOrEqual(spec.triggers.length);
    }),
    { numRuns: 3000 },
  );
  expect(written).toBeGreaterThan(5);
});
