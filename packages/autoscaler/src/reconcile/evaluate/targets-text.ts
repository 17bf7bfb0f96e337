// The column TARGETS of `kubectl get wla`.
import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "@plimsoll/core";
import { defaultHpa } from "@plimsoll/core/api";
import { canonicalQuantity } from "@plimsoll/core/internal/values";
import type { StoredWla } from "../../objects/scaling-object.ts";

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
export function targetsText(object: StoredWla, current: readonly MetricStatus[] | null | undefined): string {
  const isByScheduleOnly = (object.spec.metrics ?? []).length === 0 && object.wla.schedules.length > 0;
  const metrics = isByScheduleOnly ? [] : (defaultHpa(object).spec.metrics ?? []);
  if (metrics.length === 0) return "<none>";
  const shown = metrics.slice(0, MAX_METRICS).map((metric, index) => metricText(metric, current?.[index]));
  const more = metrics.length - shown.length;
  const text = shown.join(", ");
  const cut = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH).replace(/\p{Cs}$/u, "")}…` : text;
  return more > 0 ? `${cut} + ${more} more...` : cut;
}

function metricText(spec: MetricSpec, status: MetricStatus | undefined): string {
  if (spec.resource !== undefined) return resourceText(spec.resource, status?.resource);
  if (spec.containerResource !== undefined)
    return resourceText(spec.containerResource, status?.containerResource);
  if (spec.pods !== undefined) return valueText(spec.pods, status?.pods);
  if (spec.object !== undefined) return markedText(spec.object, status?.object);
  if (spec.external !== undefined) return markedText(spec.external, status?.external);
  return "<unknown type>";
}

interface WithTarget {
  readonly target: MetricTarget;
}

interface WithCurrent {
  readonly current?: MetricValueStatus;
}

function resourceText(
  resource: WithTarget & { readonly name: string },
  status: WithCurrent | undefined,
): string {
  const { name, target } = resource;
  if (target.averageValue !== undefined) return `${name}: ${valueText(resource, status)}`;
  return `${name}: ${percent(status?.current?.averageUtilization)}/${percent(target.averageUtilization)}`;
}

/** An average is marked where the metric may have a value as well. */
function markedText(metric: WithTarget, status: WithCurrent | undefined): string {
  const text = valueText(metric, status);
  return metric.target.averageValue === undefined ? text : `${text} (avg)`;
}

function valueText({ target }: WithTarget, status: WithCurrent | undefined): string {
  if (target.averageValue === undefined) return `${amount(status?.current?.value)}/${amount(target.value)}`;
  return `${amount(status?.current?.averageValue)}/${amount(target.averageValue)}`;
}

function percent(value: number | undefined): string {
  return value === undefined ? "<unknown>" : `${value}%`;
}

function amount(value: string | undefined): string {
  return value === undefined ? "<unknown>" : canonicalQuantity(value);
}
