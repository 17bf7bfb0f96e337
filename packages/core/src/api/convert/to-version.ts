// Converts an HPA of the hub version to another one.
import { annotationNames, encodeBehavior, withAnnotations } from "./annotations.ts";
import { specToFlat } from "./flat-spec.ts";
import { statusToFlat } from "./flat-status.ts";
import type { Internal } from "./from-version.ts";
import { compact, type Json } from "./schema.ts";

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
  const others = specs.filter((metric) => cpuUtilization(metric) === undefined);
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
      targetCPUUtilizationPercentage: specs.map(cpuUtilization).find((percent) => percent !== undefined),
    }),
    status: compact({
      ...countsOf(counts),
      currentCPUUtilizationPercentage: statuses.map(cpuStatus).findLast((percent) => percent !== undefined),
    }),
  };
}

function cpuUtilization(metric: Json): unknown {
  const resource = metric["resource"] as { name?: string; target?: Json } | undefined;
  return metric["type"] === "Resource" && resource?.name === "cpu"
    ? resource.target?.["averageUtilization"]
    : undefined;
}

function cpuStatus(metric: Json): unknown {
  const resource = metric["resource"] as { name?: string; current?: Json } | undefined;
  return metric["type"] === "Resource" && resource?.name === "cpu"
    ? resource.current?.["averageUtilization"]
    : undefined;
}

function jsonOf(list: readonly Json[]): string | undefined {
  return list.length === 0 ? undefined : JSON.stringify(list);
}

function listOf(value: unknown): readonly Json[] | undefined {
  return value as readonly Json[] | undefined;
}

/** The two counts are there even when they are zero. */
function countsOf(status: Json): Json {
  return { currentReplicas: 0, desiredReplicas: 0, ...status };
}
