import type { MetricSpec } from "@plimsoll/core";
import { proposeReplicas } from "@plimsoll/core/steps";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { convert, type Fields, paths, specOf } from "./rig.ts";

const external = (fields: Fields = {}) => ({
  type: "External",
  external: {
    metricName: "rps",
    metricSelector: { matchLabels: { app: "shop" } },
    highWatermark: "400m",
    lowWatermark: "300m",
    ...fields,
  },
});
const resource = {
  type: "Resource",
  resource: {
    name: "cpu",
    metricSelector: { matchLabels: { app: "shop" } },
    highWatermark: "500m",
    lowWatermark: "400m",
  },
};

const watermark = (spec: Fields, metadata: Fields = {}) => ({
  apiVersion: "datadoghq.com/v1alpha1",
  kind: "WatermarkPodAutoscaler",
  metadata: { name: "shop", namespace: "web", ...metadata },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
    maxReplicas: 40,
    tolerateZero: true,
    metrics: [external()],
    ...spec,
  },
});
const convertWatermark = (spec: Fields, ...flags: string[]) => convert(stringify(watermark(spec)), ...flags);

test("watermarks are a target with two tolerances, windows are delays, factors are policies", async () => {
  const converted = await convertWatermark({});
  expect(specOf(converted)).toEqual({
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
    minReplicas: 1,
    maxReplicas: 40,
    metrics: [
      {
        type: "External",
        external: {
          metric: { name: "rps", selector: { matchLabels: { app: "shop" } } },
          target: { type: "Value", value: "400m" },
        },
      },
    ],
    behavior: {
      scaleUp: {
        stabilizationWindowSeconds: 0,
        policies: [{ type: "Percent", value: 50, periodSeconds: 60 }],
        tolerance: "0.1",
      },
      scaleDown: {
        stabilizationWindowSeconds: 0,
        policies: [{ type: "Percent", value: 20, periodSeconds: 300 }],
        tolerance: "0.325",
      },
    },
    tuning: { upscaleDelaySeconds: 60, downscaleDelaySeconds: 300 },
  });
  expect(paths(converted.notes)).toEqual(["spec.metrics[0].external.lowWatermark"]);
});

/** The controller's own comparison, in thousandths, for algorithm average. */
function positionOf(usage: number, { low, high, tolerance }: Record<"low" | "high" | "tolerance", number>) {
  if (usage > high + (high * tolerance) / 1000) return "up";
  return usage < low - (low * tolerance) / 1000 ? "down" : "within";
}

test("it scales up and down at the same values, and up to the same replicas", async () => {
  await assertProperty(
    fc.asyncProperty(
      fc.record({
        high: fc.integer({ min: 1, max: 2000 }),
        part: fc.integer({ min: 0, max: 1000 }),
        tolerance: fc.integer({ min: 1, max: 500 }),
        replicas: fc.integer({ min: 1, max: 60 }),
        usage: fc.integer({ min: 1, max: 5000 }),
      }),
      async ({ high, part, tolerance, replicas, usage }) => {
        const low = Math.floor((high * part) / 1000);
        const metric = external({ highWatermark: `${high}m`, lowWatermark: `${low}m` });
        const converted = await convertWatermark({
          algorithm: "average",
          tolerance: `${tolerance}m`,
          metrics: [metric],
        });
        expect(converted.problems).toEqual([]);
        const { metrics, behavior } = specOf(converted) as {
          readonly metrics: readonly MetricSpec[];
          readonly behavior: Readonly<Record<"scaleUp" | "scaleDown", { readonly tolerance: string }>>;
        };
        const proposal = proposeReplicas({
          nowMs: 0,
          metric: metrics[0] as MetricSpec,
          specReplicas: replicas,
          statusReplicas: replicas,
          pods: [],
          samples: { values: [{ value: `${usage * replicas}m`, timestamp: "1970-01-01T00:00:00Z" }] },
          tolerance: { scaleUp: behavior.scaleUp.tolerance, scaleDown: behavior.scaleDown.tolerance },
        });
        const position = positionOf(usage, { low, high, tolerance });
        const proposed = proposal.ok ? proposal.replicas : undefined;
        // On the edge itself the one side computes in floating point.
        fc.pre(positionOf(usage - 1, { low, high, tolerance }) === position);
        fc.pre(positionOf(usage + 1, { low, high, tolerance }) === position);
        const byThem = { up: Math.ceil((replicas * usage) / high), within: replicas, down: undefined }[
          position
        ];
        const isAtMost =
          (proposed ?? Infinity) <= Math.max(1, Math.floor((replicas * usage) / Math.max(low, 1)) + 1);
        expect(position === "down" ? isAtMost : proposed).toBe(byThem ?? true);
      },
    ),
    { numRuns: 500 },
  );
});

test.each<[name: string, spec: Fields, written: Fields]>([
  [
    "average of an external metric",
    { algorithm: "average" },
    { metrics: [{ external: { target: { type: "AverageValue", averageValue: "400m" } } }] },
  ],
  [
    "a resource",
    { algorithm: "average", metrics: [resource] },
    {
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "AverageValue", averageValue: "500m" } },
        },
      ],
    },
  ],
  [
    "one watermark",
    { metrics: [external({ lowWatermark: undefined })] },
    { behavior: { scaleDown: { tolerance: "0.1" } } },
  ],
  [
    "a low watermark of 0",
    { metrics: [external({ lowWatermark: "0" })] },
    { behavior: { scaleDown: { tolerance: "1" } } },
  ],
  ["dryRun", { dryRun: true }, { mode: "Shadow" }],
  ["no scale-up", { scaleUpLimitFactor: 0 }, { behavior: { scaleUp: { selectPolicy: "Disabled" } } }],
  ["no scale-down", { scaleDownLimitFactor: "0" }, { behavior: { scaleDown: { selectPolicy: "Disabled" } } }],
  [
    "delays",
    { upscaleDelayAboveWatermarkSeconds: 30, downscaleDelayBelowWatermarkSeconds: 90 },
    {
      behavior: {
        scaleUp: { stabilizationWindowSeconds: 30 },
        scaleDown: { stabilizationWindowSeconds: 90 },
      },
    },
  ],
  [
    "windows",
    { upscaleForbiddenWindowSeconds: 45, downscaleForbiddenWindowSeconds: 7200 },
    {
      tuning: { upscaleDelaySeconds: 45, downscaleDelaySeconds: 3600 },
      behavior: { scaleDown: { policies: [{ periodSeconds: 1800 }] } },
    },
  ],
])("%s", async (_, spec, written) => {
  expect(specOf(await convertWatermark(spec))).toMatchObject(written);
});

/** Every field without a counterpart. */
test.each<[field: string, spec: Fields, path?: string]>([
  ["tolerateZero", { tolerateZero: false }],
  ["replicaScalingAbsoluteModulo", { replicaScalingAbsoluteModulo: 2 }],
  ["convergeTowardsWatermark", { convergeTowardsWatermark: "highwatermark" }],
  ["minAvailableReplicaPercentage", { minAvailableReplicaPercentage: 50 }],
  ["readinessDelaySeconds", { readinessDelaySeconds: 60 }],
  ["scaleUpLimitFactor", { scaleUpLimitFactor: "12.5" }],
  ["downscaleForbiddenWindowSeconds", { downscaleForbiddenWindowSeconds: 7200 }],
  ["upscaleDelayAboveWatermarkSeconds", { upscaleDelayAboveWatermarkSeconds: 30 }],
  [
    "metricSelector",
    { algorithm: "average", metrics: [resource] },
    "spec.metrics[0].resource.metricSelector",
  ],
  [
    "watermarks in another proportion",
    { metrics: [external(), external({ metricName: "b", lowWatermark: "100m" })] },
    "spec.metrics[0].external.lowWatermark",
  ],
])("%s is named", async (field, spec, path = `spec.${field}`) => {
  const converted = await convertWatermark(spec);
  expect(converted.problems).toEqual([]);
  expect(paths(converted.notes)).toContain(path);
});

test.each<[name: string, spec: Fields, path: string]>([
  ["a recommender", { metrics: undefined, recommender: { url: "http://a" } }, "spec.recommender"],
  ["a resource by algorithm absolute", { metrics: [resource] }, "spec.metrics[0].resource"],
  ["no metrics", { metrics: [] }, "spec.metrics"],
  ["another type", { metrics: [{ type: "Pods", pods: {} }] }, "spec.metrics[0].type"],
  [
    "no watermark",
    { metrics: [external({ highWatermark: undefined, lowWatermark: undefined })] },
    "spec.metrics[0].external.highWatermark",
  ],
  [
    "low above high",
    { metrics: [external({ lowWatermark: "900m" })] },
    "spec.metrics[0].external.lowWatermark",
  ],
  [
    "no quantity",
    { metrics: [external({ highWatermark: "many" })] },
    "spec.metrics[0].external.highWatermark",
  ],
  ["a tolerance above 1", { tolerance: 2 }, "spec.tolerance"],
  ["a factor of 100 downwards", { scaleDownLimitFactor: 100 }, "spec.scaleDownLimitFactor"],
  ["no maximum", { maxReplicas: undefined }, "spec.maxReplicas"],
  ["a maximum below the minimum", { minReplicas: 50 }, "spec.maxReplicas"],
  ["a misspelled field", { dryrun: true }, "spec.dryrun"],
])("%s is a problem", async (_, spec, path) => {
  const { code, objects, problems } = await convertWatermark(spec);
  expect([code, objects]).toEqual([1, []]);
  expect(paths(problems)).toContain(path);
});

test("annotations of the controller are named and go", async () => {
  const annotations = { "wpa.datadoghq.com/lifecycle-control.enabled": "true", team: "a" };
  const finalizers = ["finalizer.watermarkpodautoscaler.datadoghq.com"];
  const { objects, notes } = await convert(stringify(watermark({}, { annotations, finalizers })));
  expect(objects[0]?.["metadata"]).toEqual({ name: "shop", namespace: "web", annotations: { team: "a" } });
  expect(paths(notes)).toContain('metadata.annotations["wpa.datadoghq.com/lifecycle-control.enabled"]');
});
