// The objects that are examined: HorizontalPodAutoscalers and WorkloadAutoscalers, read out of the API's form.
import { instantMs } from "@plimsoll/core";
import { fieldOfType } from "@plimsoll/core/internal/objects";
import { type Fields, fieldsOf, isAbsent, textOf } from "@plimsoll/core/internal/values";
import { queryLabel } from "@plimsoll/core/queries";
import { at, listOf, numberOf } from "./fields.ts";
import {
  type Condition,
  conditionOf,
  createdAtMs,
  nameOf,
  namespaceOf,
  type Reference,
  readReference,
} from "./meta.ts";

/** An HPA or a WorkloadAutoscaler. */
export interface Autoscaler {
  readonly kind: "HorizontalPodAutoscaler" | "WorkloadAutoscaler";
  /** The object as it is. */
  readonly raw: Fields;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly createdAtMs: number | undefined;
  readonly target: Reference;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly metrics: readonly Metric[];
  /** "Active" for an HPA. */
  readonly mode: string;
  readonly currentReplicas: number | undefined;
  readonly desiredReplicas: number | undefined;
  readonly lastScaleMs: number | undefined;
}

/** One of spec.metrics. */
export interface Metric {
  readonly index: number;
  readonly type: string;
  /** Of the resource or the metric. */
  readonly name: string;
  /** Of a ContainerResource metric, else "". */
  readonly container: string;
  readonly targetType: string;
  /** A quantity, or a percentage without its sign. */
  readonly target: string;
  /** The fields of the target that are set: averageUtilization, averageValue, value. */
  readonly targetFields: readonly string[];
  /** Label selector of the metric. */
  readonly selector: Fields;
  /** Of an Object metric. */
  readonly described: Reference | undefined;
  /** The object brings it along as PromQL; its name is its position then. */
  readonly isQuery: boolean;
}

/** A query is looked at as the External or Pods metric that represents it. */
function plainMetric(metric: Fields, index: number): Fields {
  if (textOf(metric["type"]) !== "Query") return metric;
  const { target, podLabel } = fieldsOf(metric["query"]);
  const source = { metric: { name: queryLabel(index) }, target };
  return podLabel === undefined
    ? { type: "External", external: source, query: true }
    : { type: "Pods", pods: source, query: true };
}

const defaultMetric = {
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
};

/** Undefined for objects of other kinds. */
export function readAutoscaler(raw: unknown): Autoscaler | undefined {
  const object = fieldsOf(raw);
  const { kind } = object;
  if (kind !== "HorizontalPodAutoscaler" && kind !== "WorkloadAutoscaler") return undefined;
  const listed = metricsOf(object);
  const isBySchedule = listed.length === 0 && listOf(at(object, "spec", "schedules")).length > 0;
  return {
    kind,
    raw: object,
    namespace: namespaceOf(object),
    name: nameOf(object),
    uid: textOf(at(object, "metadata", "uid")),
    createdAtMs: createdAtMs(object),
    target: readReference(at(object, "spec", "scaleTargetRef")),
    minReplicas: numberOf(at(object, "spec", "minReplicas")) ?? 1,
    maxReplicas: numberOf(at(object, "spec", "maxReplicas")) ?? 0,
    metrics: (listed.length === 0 && !isBySchedule ? [defaultMetric] : listed).map(readMetric),
    mode: textOf(at(object, "spec", "mode")) || "Active",
    currentReplicas: numberOf(at(object, "status", "currentReplicas")),
    desiredReplicas: numberOf(at(object, "status", "desiredReplicas")),
    lastScaleMs: instantMs(at(object, "status", "lastScaleTime")),
  };
}

/** autoscaling/v1 has one percentage of the requested cpu. */
function metricsOf(object: Fields): readonly Fields[] {
  const percent = numberOf(at(object, "spec", "targetCPUUtilizationPercentage"));
  if (percent === undefined) return listOf(at(object, "spec", "metrics"));
  return [
    {
      type: "Resource",
      resource: { name: "cpu", target: { type: "Utilization", averageUtilization: percent } },
    },
  ];
}

/** The field of the target that its type names. */
export const fieldOfTarget: Readonly<Record<string, string>> = {
  Utilization: "averageUtilization",
  AverageValue: "averageValue",
  Value: "value",
};

function readMetric(written: Fields, index: number): Metric {
  const metric = plainMetric(written, index);
  const type = textOf(metric["type"]);
  const source = fieldsOf(metric[fieldOfType[type] ?? ""]);
  const target = fieldsOf(source["target"]);
  const amount = target["averageUtilization"] ?? target["averageValue"] ?? target["value"];
  return {
    index,
    type,
    name: textOf(source["name"]) || textOf(at(source, "metric", "name")),
    container: textOf(source["container"]),
    targetType: textOf(target["type"]),
    target: typeof amount === "number" ? String(amount) : textOf(amount),
    targetFields: Object.values(fieldOfTarget).filter((field) => !isAbsent(target[field])),
    selector: fieldsOf(at(source, "metric", "selector")),
    described: type === "Object" ? readReference(source["describedObject"]) : undefined,
    isQuery: metric["query"] === true,
  };
}

export function isResourceMetric({ type }: Metric): boolean {
  return type === "Resource" || type === "ContainerResource";
}

export function isUtilization(metric: Metric): boolean {
  return isResourceMetric(metric) && metric.targetType === "Utilization";
}

/** In shadow nothing is written, so no other client is in the way. */
export function mayWrite({ mode }: Pick<Autoscaler, "mode">): boolean {
  return mode !== "Shadow";
}

/** A condition of the object itself. */
export function ownCondition({ raw }: Autoscaler, type: string): Condition | undefined {
  return conditionOf(raw, type);
}

/** "pay/billing". */
export function keyOf({ namespace, name }: Pick<Autoscaler, "namespace" | "name">): string {
  return namespace === "" ? name : `${namespace}/${name}`;
}

/** As kubectl names the kind. */
export function shortKind({ kind }: Pick<Autoscaler, "kind">): string {
  return kind === "HorizontalPodAutoscaler" ? "hpa" : "wla";
}
