// Converts an HPA of the hub version to another one.
import { annotationNames, encodeBehavior, withAnnotations } from "./annotations.ts";
import { specToFlat, statusToFlat } from "./flat.ts";
import type { Internal } from "./from-version.ts";
import { compact, type Json, listOf } from "./schema.ts";

export function toV2(internal: Internal): Json {
  return {
    metadata: internal.metadata,
    spec: internal.spec,
    status: { desiredReplicas: 0, ...internal.status },
  };
}

/** v2beta2 has no field for tolerances. */
export function toV2beta2(internal: Internal): Json {
  const behavior = internal.spec["behavior"] as { scaleUp?: Json; scaleDown?: Json } | undefined;
  const tolerances = compact({
    [annotationNames.scaleUpTolerance]: behavior?.scaleUp?.["tolerance"],
    [annotationNames.scaleDownTolerance]: behavior?.scaleDown?.["tolerance"],
  });
  const bare =
    behavior && compact({ scaleUp: bareRules(behavior.scaleUp), scaleDown: bareRules(behavior.scaleDown) });
  return {
    ...toV2(internal),
    metadata: withAnnotations(internal.metadata, tolerances),
    spec: compact({ ...internal.spec, behavior: bare }),
  };
}

function bareRules(rules: Json | undefined): Json | undefined {
  if (rules === undefined) return undefined;
  const { tolerance: _, ...rest } = rules;
  return rest;
}

export function toV2beta1(internal: Internal): Json {
  const { behavior, metrics, ...scope } = internal.spec;
  const { currentMetrics, ...status } = internal.status;
  const added =
    behavior === undefined ? {} : { [annotationNames.behavior]: encodeBehavior(behavior as Json) };
  return {
    metadata: withAnnotations(internal.metadata, added),
    spec: compact({ ...scope, metrics: listOf(metrics)?.map((metric) => specToFlat(metric, "v2beta1")) }),
    status: compact({
      desiredReplicas: 0,
      ...status,
      currentMetrics: listOf(currentMetrics)?.map(statusToFlat),
    }),
  };
}

/** @upstream pkg/apis/autoscaling/v1/conversion.go#Convert_autoscaling_HorizontalPodAutoscaler_To_v1_HorizontalPodAutoscaler */
export function toV1(internal: Internal): Json {
  const { behavior, metrics, ...scope } = internal.spec;
  const { currentMetrics, conditions, ...counts } = internal.status;
  const specs = listOf(metrics) ?? [];
  const statuses = listOf(currentMetrics) ?? [];
  const others = specs.filter((metric) => cpuPercent(metric, "target") === undefined);
  const added = compact({
    [annotationNames.metrics]: jsonOf(others.map((metric) => specToFlat(metric, "v1"))),
    [annotationNames.currentMetrics]: jsonOf(statuses.map(statusToFlat)),
    [annotationNames.behavior]: behavior === undefined ? undefined : encodeBehavior(behavior as Json),
    [annotationNames.conditions]: jsonOf(listOf(conditions) ?? []),
  });
  return {
    metadata: withAnnotations(internal.metadata, added),
    spec: compact({
      ...scope,
      targetCPUUtilizationPercentage: specs
        .map((spec) => cpuPercent(spec, "target"))
        .find((percent) => percent !== undefined),
    }),
    status: compact({
      // The two counts are there even when they are zero.
      currentReplicas: 0,
      desiredReplicas: 0,
      ...counts,
      currentCPUUtilizationPercentage: statuses
        .map((status) => cpuPercent(status, "current"))
        .findLast((percent) => percent !== undefined),
    }),
  };
}

/** The percentage of a Resource metric of cpu; undefined of any other. */
function cpuPercent({ type, resource }: Json, at: "target" | "current"): unknown {
  const { name, [at]: value } = (resource ?? {}) as Json;
  return type === "Resource" && name === "cpu"
    ? (value as Json | undefined)?.["averageUtilization"]
    : undefined;
}

function jsonOf(list: readonly Json[]): string | undefined {
  return list.length === 0 ? undefined : JSON.stringify(list);
}
