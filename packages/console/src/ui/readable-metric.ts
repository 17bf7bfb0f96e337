// A metric of a decision with its quantities in one unit: for what is read, and for nothing that is computed.
import type { Decision, MetricTrace, PassTrace } from "@plimsoll/core";
import { metricName } from "./metric-name.ts";
import { kindOf, type QuantityUnit, unitFor } from "./quantity-unit.ts";

/** Both sides of its comparison decide the unit. */
export function unitOfMetric(metric: MetricTrace): QuantityUnit {
  const { target, type, first } = metric;
  const isPercent = target?.type === "Utilization";
  const isTotal = target?.type === "Value" || metric.statusReplicas !== undefined;
  const compared = isPercent
    ? [first?.total, first?.requested]
    : [isTotal ? first?.total : first?.usage, target?.value];
  const isResource = type === "Resource" || type === "ContainerResource";
  return unitFor(compared, kindOf(isResource ? metricName(metric) : undefined, compared));
}

export function readableMetric(metric: MetricTrace): MetricTrace {
  const { target, first, second, pods, values } = metric;
  const unit = unitOfMetric(metric);
  const isPercent = target?.type === "Utilization";
  const pass = <P extends PassTrace>(one: P): P => inUnit(one, isPercent ? percentFields : passFields, unit);
  return {
    ...metric,
    ...(target === undefined || isPercent ? {} : { target: inUnit(target, ["value"], unit) }),
    ...(first === undefined ? {} : { first: pass(first) }),
    ...(second === undefined ? {} : { second: pass(second) }),
    ...(pods === undefined ? {} : { pods: pods.map((pod) => inUnit(pod, ["usage", "request"], unit)) }),
    ...(values === undefined ? {} : { values: values.map(unit.text) }),
  };
}

const percentFields = ["total", "requested", "missingAs"];
const passFields = ["total", "requested", "usage", "missingAs"];

/** The same with these fields in the unit, those that it has. */
function inUnit<T extends object>(of: T, fields: readonly string[], unit: QuantityUnit): T {
  const entries = Object.entries(of).map(([name, value]: [string, unknown]) => [
    name,
    fields.includes(name) && typeof value === "string" ? unit.text(value) : value,
  ]);
  return Object.fromEntries(entries) as T;
}

/** What tables and lines of its metrics are made from. */
export function readableDecision<D extends Pick<Decision, "trace">>(decision: D): D {
  return {
    ...decision,
    trace: decision.trace.map((step) => (step.kind === "metric" ? readableMetric(step) : step)),
  };
}
