// The families kube_horizontalpodautoscaler_*.
import { approximateFloat, parseQuantity } from "@plimsoll/core/quantity";
import type { FamilyCollector } from "../load/family.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { type AddGauge, conditionGauges, gaugesOf } from "./gauge.ts";

interface Amounts {
  readonly value?: string | number;
  readonly averageValue?: string | number;
  readonly averageUtilization?: number;
}

interface Source {
  readonly name?: string;
  readonly metric?: { readonly name?: string };
  readonly target?: Amounts;
  readonly current?: Amounts;
}

type Metric = { readonly type?: string } & Readonly<Record<string, Source | string | undefined>>;

interface Autoscaler extends StoredObject {
  readonly spec?: {
    readonly scaleTargetRef?: {
      readonly apiVersion?: string;
      readonly kind?: string;
      readonly name?: string;
    };
    readonly minReplicas?: number;
    readonly maxReplicas?: number;
    readonly metrics?: readonly Metric[];
  };
  readonly status?: {
    readonly currentReplicas?: number;
    readonly desiredReplicas?: number;
    readonly currentMetrics?: readonly Metric[] | null;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

export function autoscalerFamilies(objects: readonly StoredObject[], out: FamilyCollector): void {
  for (const { metadata, spec = {}, status = {} } of objects as readonly Autoscaler[]) {
    const add = gaugesOf(metadata, "horizontalpodautoscaler", {
      out,
      prefix: "kube_horizontalpodautoscaler_",
    });
    specGauges(add, spec);
    add("metadata_generation", metadata.generation);
    statusGauges(add, status);
  }
}

function specGauges(add: AddGauge, spec: NonNullable<Autoscaler["spec"]>): void {
  const { apiVersion = "", kind = "", name = "" } = spec.scaleTargetRef ?? {};
  add("info", 1, {
    scaletargetref_api_version: apiVersion,
    scaletargetref_kind: kind,
    scaletargetref_name: name,
  });
  add("spec_max_replicas", spec.maxReplicas);
  add("spec_min_replicas", spec.minReplicas);
  for (const metric of spec.metrics ?? []) amounts(add, "spec_target_metric", metric, "target");
}

function statusGauges(add: AddGauge, status: NonNullable<Autoscaler["status"]>): void {
  for (const metric of status.currentMetrics ?? []) amounts(add, "status_target_metric", metric, "current");
  add("status_current_replicas", status.currentReplicas ?? 0);
  add("status_desired_replicas", status.desiredReplicas ?? 0);
  for (const { type: condition, status: given } of status.conditions ?? [])
    conditionGauges((value, one) => add("status_condition", value, { condition, status: one }), given);
}

function amounts(add: AddGauge, family: string, metric: Metric, side: "target" | "current"): void {
  const key = `${(metric.type ?? "").charAt(0).toLowerCase()}${(metric.type ?? "").slice(1)}`;
  const source = metric[key];
  if (typeof source !== "object") return;
  const { value, averageValue, averageUtilization } = source[side] ?? {};
  const labels = (type: string) => ({
    metric_name: source.metric?.name ?? source.name ?? "",
    metric_target_type: type,
  });
  add(family, amountOf(value), labels("value"));
  add(family, amountOf(averageValue), labels("average"));
  add(family, averageUtilization, labels("utilization"));
}

function amountOf(quantity: string | number | undefined): number | undefined {
  return quantity === undefined ? undefined : approximateFloat(parseQuantity(String(quantity)));
}
