import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "@plimsoll/core";
import { defaultHpa } from "@plimsoll/core/api";
import { formatQuantity, parseQuantity, QuantityError } from "@plimsoll/core/quantity";
import { type ScalingObject, wlaOf } from "../../objects/scaling-object.ts";

/** As many as `kubectl get hpa` prints; the others are counted. */
const MAX_METRICS = 2;
/** Names of resources are input without a limit. */
const MAX_LENGTH = 200;

/**
 * Current and target value of each metric, as `kubectl get hpa` prints them: printer columns of a custom resource
 * are paths to one field and cannot put this together.
 *
 * @upstream pkg/printers/internalversion/printers.go#formatHPAMetrics
 */
export function targetsText(hpa: ScalingObject, current: readonly MetricStatus[] | null | undefined): string {
  const isByScheduleOnly = (hpa.spec.metrics ?? []).length === 0 && (wlaOf(hpa)?.schedules.length ?? 0) > 0;
  const metrics = isByScheduleOnly ? [] : (defaultHpa(hpa).spec.metrics ?? []);
  if (metrics.length === 0) return "<none>";
  const shown = metrics.slice(0, MAX_METRICS).map((metric, index) => metricText(metric, current?.[index]));
  const more = metrics.length - shown.length;
  const text = shown.join(", ");
  const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH).replace(/\p{Cs}$/u, "")}…` : text;
  return more > 0 ? `${cut} + ${more} more...` : cut;
}

function metricText(spec: MetricSpec, status: MetricStatus | undefined): string {
  const resource = spec.resource ?? spec.containerResource;
  if (resource !== undefined) {
    const value = (status?.resource ?? status?.containerResource)?.current;
    return `${resource.name}: ${resourceText(resource.target, value)}`;
  }
  const target = (spec.pods ?? spec.object ?? spec.external)?.target;
  if (target === undefined) return "<unknown type>";
  const text = valueText(target, (status?.pods ?? status?.object ?? status?.external)?.current);
  const isAverage = target.averageValue !== undefined && spec.pods === undefined;
  return isAverage ? `${text} (avg)` : text;
}

function valueText(target: MetricTarget, value: MetricValueStatus | undefined): string {
  if (target.averageValue === undefined) return `${amount(value?.value)}/${amount(target.value)}`;
  return `${amount(value?.averageValue)}/${amount(target.averageValue)}`;
}

function resourceText(target: MetricTarget, value: MetricValueStatus | undefined): string {
  if (target.averageValue !== undefined)
    return `${amount(value?.averageValue)}/${amount(target.averageValue)}`;
  return `${percent(value?.averageUtilization)}/${percent(target.averageUtilization)}`;
}

function percent(value: number | undefined): string {
  return value === undefined ? "<unknown>" : `${value}%`;
}

function amount(value: string | undefined): string {
  if (value === undefined) return "<unknown>";
  try {
    return formatQuantity(parseQuantity(value));
  } catch (error) {
    if (error instanceof QuantityError) return value;
    throw error;
  }
}
