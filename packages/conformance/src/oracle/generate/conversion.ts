// Generates random objects to be converted between API versions.
import type { Random } from "../random.ts";
import type { VectorCase } from "../vector-file.ts";
import { quantityText, someAmount } from "./amount.ts";
import { type Json, someHpa, someMetadata } from "./hpa.ts";

const prefix = "autoscaling.alpha.kubernetes.io/";

export function conversionCase(
  random: Random,
  name: string,
  versions: readonly [string, ...string[]],
): VectorCase {
  const to = random.pick(versions);
  // What an older release makes of v1 is not what the newest one does, and v1 is measured there.
  const from = random.pick(versions.length === 2 ? versions : ["v2beta1", "v2beta2", "v2"]);
  return {
    name,
    from: sources[from]?.(random) ?? someV2(random),
    to: random.chance(0.8) ? `autoscaling/${to}` : to,
  };
}

const sources: Readonly<Record<string, (random: Random) => Json>> = {
  v1: someV1,
  v2beta1: someV2beta1,
  v2beta2: someV2beta2,
};

/** An object of a version that only older releases know. */
export function someBeta(random: Random): Json {
  return random.chance(0.5) ? someV2beta1(random) : someV2beta2(random);
}

/** As v2, but for the tolerance, which came later. */
function someV2beta2(random: Random): Json {
  const from = someV2(random);
  const behavior = ((from["spec"] as Json)["behavior"] ?? {}) as Json;
  for (const side of ["scaleUp", "scaleDown"]) delete (behavior[side] as Json | undefined)?.["tolerance"];
  if (random.chance(0.3)) {
    const metadata = from["metadata"] as Json;
    metadata["annotations"] = {
      ...(metadata["annotations"] as Json | undefined),
      [`${prefix}${random.pick(["scale-up-tolerance", "scale-down-tolerance"])}`]: random.pick([
        "100m",
        "0.10",
        "0",
      ]),
    };
  }
  return { ...from, apiVersion: "autoscaling/v2beta2" };
}

/** The metrics of v1's annotations, as fields. */
function someV2beta1(random: Random): Json {
  const metadata = someMetadata(random);
  const behavior = random.chance(0.4) ? annotation(random, "behavior", v1Behavior) : {};
  metadata["annotations"] = { ...(metadata["annotations"] as Json | undefined), ...behavior };
  return {
    apiVersion: "autoscaling/v2beta1",
    kind: "HorizontalPodAutoscaler",
    metadata,
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      ...(random.chance(0.7) ? { minReplicas: random.int(0, 3) } : {}),
      maxReplicas: random.int(3, 9),
      ...(random.chance(0.9)
        ? { metrics: v1Metrics(random).filter((metric) => !("container" in metric)) }
        : {}),
    },
    ...(random.chance(0.6)
      ? {
          status: {
            currentReplicas: random.int(0, 5),
            desiredReplicas: random.int(0, 5),
            ...(random.chance(0.3) ? { lastScaleTime: "2026-01-01T12:00:00Z" } : {}),
            ...(random.chance(0.7) ? { currentMetrics: v1CurrentMetrics(random) } : {}),
            ...(random.chance(0.5) ? { conditions: v1Conditions(random) } : {}),
          },
        }
      : {}),
  };
}

function someV2(random: Random): Json {
  const from = someHpa(random);
  if (random.chance(0.6)) from["status"] = someV2Status(random);
  if (random.chance(0.1)) {
    (from["metadata"] as Json)["annotations"] = {
      [`${prefix}metrics`]: "[]",
      [`${prefix}behavior`]: "{}",
      kept: "yes",
    };
  }
  return from;
}

function someV2Status(random: Random): Json {
  const value = (): string => quantityText(random, someAmount(random, ""));
  const current = (): Json =>
    random.pick<Json>([
      { averageValue: value() },
      { averageUtilization: random.int(0, 150), averageValue: value() },
    ]);
  const metrics: readonly [Json, ...Json[]] = [
    { type: "Resource", resource: { name: "cpu", current: current() } },
    { type: "Resource", resource: { name: "memory", current: current() } },
    { type: "ContainerResource", containerResource: { name: "cpu", container: "app", current: current() } },
    { type: "Pods", pods: { metric: { name: "packets" }, current: { averageValue: value() } } },
    {
      type: "Object",
      object: {
        metric: { name: "requests", selector: { matchLabels: { a: "b" } } },
        describedObject: { kind: "Ingress", name: "shop", apiVersion: "networking.k8s.io/v1" },
        current: random.chance(0.5) ? { value: value() } : { averageValue: value() },
      },
    },
    {
      type: "External",
      external: {
        metric: { name: "queue" },
        current: random.chance(0.5) ? { value: value() } : { averageValue: value() },
      },
    },
    { type: "" },
  ];
  return {
    ...(random.chance(0.8) ? { currentReplicas: random.int(0, 9) } : {}),
    desiredReplicas: random.int(0, 9),
    ...(random.chance(0.3) ? { observedGeneration: random.int(1, 9) } : {}),
    ...(random.chance(0.4) ? { lastScaleTime: "2026-01-01T12:00:00Z" } : {}),
    ...(random.chance(0.8)
      ? { currentMetrics: Array.from({ length: random.int(0, 3) }, () => random.pick(metrics)) }
      : {}),
    ...(random.chance(0.6)
      ? {
          conditions: [
            {
              type: "AbleToScale",
              status: "True",
              reason: "ReadyForNewScale",
              message: "recommended size matches current size",
              lastTransitionTime: "2026-01-01T12:00:00Z",
            },
            ...(random.chance(0.3) ? [{ type: "ScalingActive", status: "False" }] : []),
          ],
        }
      : {}),
  };
}

function someV1(random: Random): Json {
  const metadata = someMetadata(random);
  if (random.chance(0.8)) {
    metadata["annotations"] = {
      ...(metadata["annotations"] as Json | undefined),
      ...annotation(random, "metrics", v1Metrics),
      ...annotation(random, "current-metrics", v1CurrentMetrics),
      ...annotation(random, "behavior", v1Behavior),
      ...annotation(random, "conditions", v1Conditions),
    };
  }
  return {
    apiVersion: "autoscaling/v1",
    kind: "HorizontalPodAutoscaler",
    metadata,
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      ...(random.chance(0.7) ? { minReplicas: random.int(0, 3) } : {}),
      maxReplicas: random.int(3, 9),
      ...(random.chance(0.6) ? { targetCPUUtilizationPercentage: random.int(1, 150) } : {}),
    },
    ...(random.chance(0.5)
      ? {
          status: {
            currentReplicas: random.int(0, 5),
            desiredReplicas: random.int(0, 5),
            ...(random.chance(0.5) ? { currentCPUUtilizationPercentage: random.int(0, 200) } : {}),
            ...(random.chance(0.3) ? { lastScaleTime: "2026-01-01T12:00:00Z" } : {}),
          },
        }
      : {}),
  };
}

function annotation(
  random: Random,
  name: string,
  content: (random: Random) => unknown,
): Readonly<Record<string, string>> {
  if (random.chance(0.45)) return {};
  const text = JSON.stringify(content(random));
  const damaged = random.weighted([
    [20, text],
    [1, ""],
    [1, "null"],
    [1, text.slice(0, -1)],
    [1, "{}"],
    [1, "[]"],
    [1, '"x"'],
  ]);
  return { [prefix + name]: damaged };
}

function v1Metrics(random: Random): readonly Json[] {
  const value = (): string => quantityText(random, someAmount(random, ""));
  const choices: readonly [Json, ...Json[]] = [
    { type: "Resource", resource: { name: "memory", targetAverageValue: value() } },
    { type: "Resource", resource: { name: "cpu", targetAverageUtilization: random.int(1, 99) } },
    { type: "ContainerResource", container: { name: "cpu", container: "app", targetAverageUtilization: 40 } },
    {
      type: "ContainerResource",
      containerResource: { name: "cpu", container: "app", targetAverageUtilization: 40 },
    },
    {
      type: "Pods",
      pods: { metricName: "packets", targetAverageValue: value(), selector: { matchLabels: { a: "b" } } },
    },
    {
      type: "Object",
      object: { target: { kind: "Ingress", name: "shop" }, metricName: "requests", targetValue: value() },
    },
    {
      type: "Object",
      object: {
        target: { kind: "Ingress", name: "shop" },
        metricName: "requests",
        targetValue: "0",
        averageValue: value(),
      },
    },
    {
      type: "External",
      external: { metricName: "queue", metricSelector: { matchLabels: { q: "x" } }, targetValue: value() },
    },
    { type: "External", external: { metricName: "queue", targetAverageValue: value() } },
  ];
  return Array.from({ length: random.int(0, 3) }, () => random.pick(choices));
}

function v1CurrentMetrics(random: Random): unknown {
  const value = (): string => quantityText(random, someAmount(random, ""));
  const choices: readonly [Json, ...Json[]] = [
    {
      type: "Resource",
      resource: { name: "cpu", currentAverageUtilization: random.int(0, 99), currentAverageValue: value() },
    },
    { type: "Resource", resource: { name: "memory", currentAverageValue: value() } },
    {
      type: "ContainerResource",
      containerResource: { name: "cpu", container: "app", currentAverageValue: value() },
    },
    { type: "Pods", pods: { metricName: "packets", currentAverageValue: value() } },
    {
      type: "Object",
      object: { target: { kind: "Ingress", name: "shop" }, metricName: "requests", currentValue: value() },
    },
    {
      type: "External",
      external: { metricName: "queue", currentValue: value(), currentAverageValue: value() },
    },
  ];
  return Array.from({ length: random.int(0, 3) }, () => random.pick(choices));
}

function v1Behavior(random: Random): unknown {
  const rules = (): Json => ({
    StabilizationWindowSeconds: random.pick([null, 0, 60]),
    SelectPolicy: random.pick([null, "Max", "Min"]),
    Policies: random.pick<unknown>([null, [], [{ Type: "Pods", Value: 4, PeriodSeconds: 15 }]]),
    ...(random.chance(0.2) ? { Tolerance: "100m" } : {}),
  });
  return { ScaleUp: random.chance(0.7) ? rules() : null, ScaleDown: random.chance(0.7) ? rules() : null };
}

function v1Conditions(random: Random): unknown {
  return [
    {
      type: "AbleToScale",
      status: random.pick(["True", "False"]),
      lastTransitionTime: "2026-01-01T12:00:00Z",
      reason: "ReadyForNewScale",
      message: "recommended size matches current size",
    },
  ].slice(random.int(0, 1));
}
