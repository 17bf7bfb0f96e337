// Converts HPAs between autoscaling/v1 and v2.
import type { ApiObject } from "../storage/api-object.ts";
import { thaw } from "../storage/api-object.ts";
import {
  isRecord,
  type JsonRecord,
  numberAt,
  recordAt,
  recordsAt,
  stringAt,
  valueAt,
} from "../storage/json-value.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { Conversion } from "./definition.ts";
import { behaviorFromGoNames, behaviorToGoNames, metricFromV1, metricToV1 } from "./hpa-v1-metric.ts";

const prefix = "autoscaling.alpha.kubernetes.io/";

/**
 * autoscaling/v1 carries what it has no fields for in annotations.
 *
 * @upstream pkg/apis/autoscaling/v1/conversion.go
 */
export const hpaV1Conversion: Conversion = { toStored: fromV1, fromStored: toV1 };

function toV1(stored: StoredObject): StoredObject {
  const object = thaw(stored);
  const spec = recordAt(object, "spec") ?? {};
  const status = recordAt(object, "status") ?? {};
  const metrics = recordsAt(spec, "metrics");
  const other = metrics.filter((metric) => cpuUtilization(metric, "target") === undefined);
  const statuses = recordsAt(status, "currentMetrics");
  const first = metrics
    .map((metric) => cpuUtilization(metric, "target"))
    .find((value) => value !== undefined);
  const current = statuses
    .map((metric) => cpuUtilization(metric, "current"))
    .findLast((value) => value !== undefined);
  const annotations: Record<string, string> = { ...withoutOurs(object) };
  if (other.length > 0)
    annotations[`${prefix}metrics`] = JSON.stringify(other.map((m) => metricToV1(m, "target")));
  if (statuses.length > 0) {
    annotations[`${prefix}current-metrics`] = JSON.stringify(statuses.map((m) => metricToV1(m, "current")));
  }
  const conditions = recordsAt(status, "conditions");
  if (conditions.length > 0) annotations[`${prefix}conditions`] = JSON.stringify(conditions);
  const behavior = recordAt(spec, "behavior");
  if (behavior !== undefined) annotations[`${prefix}behavior`] = JSON.stringify(behaviorToGoNames(behavior));
  setAnnotations(object, annotations);
  object.apiVersion = "autoscaling/v1";
  object.spec = {
    scaleTargetRef: spec["scaleTargetRef"],
    ...present("minReplicas", spec["minReplicas"]),
    maxReplicas: spec["maxReplicas"],
    ...present("targetCPUUtilizationPercentage", first),
  };
  object.status = {
    ...present("observedGeneration", status["observedGeneration"]),
    ...present("lastScaleTime", status["lastScaleTime"]),
    currentReplicas: numberAt(status, "currentReplicas") ?? 0,
    desiredReplicas: numberAt(status, "desiredReplicas") ?? 0,
    ...present("currentCPUUtilizationPercentage", current),
  };
  return object;
}

function fromV1(object: ApiObject): ApiObject {
  const spec = recordAt(object, "spec") ?? {};
  const status = recordAt(object, "status") ?? {};
  const annotation = (name: string): unknown => parsed(object.metadata.annotations?.[`${prefix}${name}`]);
  const metrics = listOf(annotation("metrics")).map((metric) => metricFromV1(metric, "target"));
  const utilization = numberAt(spec, "targetCPUUtilizationPercentage");
  if (utilization !== undefined)
    metrics.push(cpuMetric("target", { type: "Utilization", averageUtilization: utilization }));
  const behavior = annotation("behavior");
  const currentCpu = numberAt(status, "currentCPUUtilizationPercentage");
  const fromAnnotation = listOf(annotation("current-metrics")).map((metric) =>
    metricFromV1(metric, "current"),
  );
  const derived = currentCpu === undefined ? [] : [cpuMetric("current", { averageUtilization: currentCpu })];
  const currentMetrics = fromAnnotation.length > 0 ? fromAnnotation : derived;
  const conditions = listOf(annotation("conditions"));
  setAnnotations(object, withoutOurs(object));
  object.apiVersion = "autoscaling/v2";
  object.spec = {
    scaleTargetRef: spec["scaleTargetRef"],
    ...present("minReplicas", spec["minReplicas"]),
    maxReplicas: spec["maxReplicas"],
    ...(metrics.length > 0 ? { metrics } : {}),
    ...(isRecord(behavior) && Object.keys(behavior).length > 0
      ? { behavior: behaviorFromGoNames(behavior) }
      : {}),
  };
  object.status = {
    ...present("observedGeneration", status["observedGeneration"]),
    ...present("lastScaleTime", status["lastScaleTime"]),
    ...present("currentReplicas", status["currentReplicas"]),
    desiredReplicas: numberAt(status, "desiredReplicas") ?? 0,
    currentMetrics: currentMetrics.length > 0 ? currentMetrics : null,
    ...(conditions.length > 0 ? { conditions } : {}),
  };
  return object;
}

function cpuUtilization(metric: JsonRecord, side: "target" | "current"): number | undefined {
  if (metric["type"] !== "Resource" || stringAt(metric, "resource", "name") !== "cpu") return undefined;
  return numberAt(metric, "resource", side, "averageUtilization");
}

function cpuMetric(side: "target" | "current", value: JsonRecord): JsonRecord {
  return { type: "Resource", resource: { name: "cpu", [side]: value } };
}

function withoutOurs(object: ApiObject): Record<string, string> {
  const ours = ["metrics", "behavior", "current-metrics", "conditions"].map((name) => prefix + name);
  const entries = Object.entries(object.metadata.annotations ?? {});
  return Object.fromEntries(entries.filter(([key]) => !ours.includes(key)));
}

function setAnnotations(object: ApiObject, annotations: Record<string, string>): void {
  if (Object.keys(annotations).length > 0) object.metadata.annotations = annotations;
  else delete object.metadata.annotations;
}

// Malformed JSON in an annotation is ignored, as upstream does.
function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function listOf(value: unknown): JsonRecord[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function present(key: string, value: unknown): JsonRecord {
  return value === undefined || value === null ? {} : { [key]: valueAt({ value }, "value") };
}
