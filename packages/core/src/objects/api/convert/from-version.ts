// Reads HPAs of every API version into one internal form.
import { formatQuantity } from "../../../values/quantity/format.ts";
import { quantityOf } from "../../../values/quantity/milli.ts";
import { behavior as behaviorShape } from "../shapes.ts";
import { annotationNames, annotationOf, decodeAnnotation, withAnnotations } from "./annotations.ts";
import { flatSpec, flatStatus, specFromFlat, statusFromFlat } from "./flat.ts";
import { ConversionError, compact, decode, type Json, listOf } from "./schema.ts";
import { conditions, v1Object, v2beta1Object, v2Object } from "./shapes.ts";

/** What every version converts to and from: autoscaling/v2's fields without version and round-trip annotations. */
export interface Internal {
  readonly metadata: Json;
  readonly spec: Json;
  readonly status: Json;
}

export function fromV2(object: Json): Internal {
  const { spec, status } = decode(v2Object, object, "") as { spec?: Json; status?: Json };
  return { metadata: withAnnotations(metadataOf(object), {}), spec: spec ?? {}, status: status ?? {} };
}

/** v2beta2 keeps tolerances in annotations. */
export function fromV2beta2(object: Json): Internal {
  const internal = fromV2(object);
  const metadata = metadataOf(object);
  const behavior = internal.spec["behavior"] as Json | undefined;
  const restored = compact({
    scaleUp: withTolerance(behavior?.["scaleUp"], metadata, annotationNames.scaleUpTolerance),
    scaleDown: withTolerance(behavior?.["scaleDown"], metadata, annotationNames.scaleDownTolerance),
  });
  const hasBehavior = behavior !== undefined || Object.keys(restored).length > 0;
  return { ...internal, spec: hasBehavior ? { ...internal.spec, behavior: restored } : internal.spec };
}

function withTolerance(rules: unknown, metadata: Json, name: string): Json | undefined {
  const { tolerance: _, ...rest } = (rules ?? {}) as Json;
  const text = annotationOf(metadata, name);
  if (text === undefined) return rules === undefined ? undefined : rest;
  const quantity = quantityOf(text);
  if (quantity === undefined) throw new ConversionError(`metadata.annotations[${name}]`, "is not a quantity");
  return { ...rest, tolerance: formatQuantity(quantity) };
}

export function fromV2beta1(object: Json): Internal {
  const { spec = {}, status = {} } = decode(v2beta1Object, object, "") as { spec?: Json; status?: Json };
  const metadata = metadataOf(object);
  return {
    metadata: withAnnotations(metadata, {}),
    spec: compact({
      ...spec,
      metrics: listOf(spec["metrics"])?.map((metric) => specFromFlat(metric, "v2beta1")),
      behavior: behaviorOf(metadata),
    }),
    status: compact({ ...status, currentMetrics: listOf(status["currentMetrics"])?.map(statusFromFlat) }),
  };
}

/** @upstream pkg/apis/autoscaling/v1/conversion.go#Convert_v1_HorizontalPodAutoscaler_To_autoscaling_HorizontalPodAutoscaler */
export function fromV1(object: Json): Internal {
  const { spec = {}, status = {} } = decode(v1Object, object, "") as { spec?: Json; status?: Json };
  const metadata = metadataOf(object);
  const { targetCPUUtilizationPercentage: percent, ...scope } = spec;
  const { currentCPUUtilizationPercentage: usedPercent, ...counts } = status;
  const others = listOf(decodeAnnotation(metadata, annotationNames.metrics, [flatSpec])) ?? [];
  const metrics = [
    ...others.map((metric) => specFromFlat(metric, "v1")),
    ...(percent === undefined ? [] : [cpuMetric(percent)]),
  ];
  const statuses = listOf(decodeAnnotation(metadata, annotationNames.currentMetrics, [flatStatus]));
  const cpuStatus = {
    type: "Resource",
    resource: { name: "cpu", current: { averageUtilization: usedPercent } },
  };
  return {
    metadata: withAnnotations(metadata, {}),
    spec: compact({
      ...scope,
      metrics: metrics.length === 0 ? [cpuMetric(80)] : metrics,
      behavior: behaviorOf(metadata),
    }),
    status: compact({
      ...counts,
      currentMetrics: statuses?.map(statusFromFlat) ?? (usedPercent === undefined ? undefined : [cpuStatus]),
      conditions: decodeAnnotation(metadata, annotationNames.conditions, conditions),
    }),
  };
}

function cpuMetric(averageUtilization: unknown): Json {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

/** An empty behavior counts as none. */
function behaviorOf(metadata: Json): Json | undefined {
  const behavior = decodeAnnotation(metadata, annotationNames.behavior, behaviorShape) as Json | undefined;
  return behavior === undefined || Object.keys(behavior).length === 0 ? undefined : behavior;
}

function metadataOf(object: Json): Json {
  const metadata = object["metadata"];
  return typeof metadata === "object" && metadata !== null ? (metadata as Json) : {};
}
