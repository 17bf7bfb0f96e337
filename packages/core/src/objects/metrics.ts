// The source of a metric, its name, and its quantities.
import { type Fields, isObject } from "../values/fields.ts";
import type { MetricIdentifier, MetricSpec } from "./metric-spec.ts";
import type { MetricStatus } from "./status.ts";

/** The fields of a metric, or of its status, that can have its source. */
export const sourceFields = ["resource", "containerResource", "pods", "object", "external"] as const;

type Source<T extends MetricSpec | MetricStatus> = NonNullable<T[(typeof sourceFields)[number]]>;

/** The field that a type of metric has its source in. */
export const fieldOfType: Readonly<Record<string, (typeof sourceFields)[number]>> = {
  Resource: "resource",
  ContainerResource: "containerResource",
  Pods: "pods",
  Object: "object",
  External: "external",
};

/** The types that a target may have by source, and so the fields that the controller reads: the first that is set counts. */
export const targetTypes: Readonly<Record<(typeof sourceFields)[number], readonly string[]>> = {
  resource: ["AverageValue", "Utilization"],
  containerResource: ["AverageValue", "Utilization"],
  pods: ["AverageValue"],
  object: ["AverageValue", "Value"],
  external: ["AverageValue", "Value"],
};

/** The source of a metric or of its status, with the target or the current value. */
export function metricSource<T extends MetricSpec | MetricStatus>(
  metric: T | undefined,
): Source<T> | undefined {
  const { resource, containerResource, pods, object, external } = metric ?? ({} as T);
  return (resource ?? containerResource ?? pods ?? object ?? external) as Source<T> | undefined;
}

/** The resource of a Resource or ContainerResource metric. */
export function resourceName(metric: MetricSpec | MetricStatus | undefined): string | undefined {
  return (metric?.resource ?? metric?.containerResource)?.name;
}

/** The name and selector of a Pods, Object or External metric. */
export function metricIdentifier(metric: MetricSpec | MetricStatus): MetricIdentifier | undefined {
  return (metric.pods ?? metric.object ?? metric.external)?.metric;
}

/** The bare name of a metric, such as "cpu" or "queue_depth"; undefined without a source. */
export function metricName(metric: MetricSpec | MetricStatus): string | undefined {
  return resourceName(metric) ?? metricIdentifier(metric)?.name;
}

const quantityFields = new Set(["value", "averageValue", "tolerance"]);

/** A custom resource keeps a quantity as it was written, which may be a number; the math takes text. Shares what is text. */
export function textQuantities(value: unknown, isPolicy = false): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => textQuantities(item, isPolicy));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isObject(value)) return value;
  const fields = Object.entries(value).map(([key, item]): readonly [string, unknown] => [
    key,
    !isPolicy && typeof item === "number" && quantityFields.has(key)
      ? String(item)
      : textQuantities(item, isPolicy || key === "policies"),
  ]);
  const isText = fields.every(([key, item]) => item === (value as Fields)[key]);
  return isText ? value : Object.fromEntries(fields);
}
