// A metric of a decision with its quantities in one unit: for what is read, and for nothing that is computed.
import type { Decision, MetricTrace, PassTrace } from "@plimsoll/core";
import { metricName } from "../ui/metric-name.ts";
import { kindOf, type QuantityUnit, unitFor } from "../ui/quantity-unit.ts";

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
  const optional = <K extends string>(name: K, text: string | undefined): { readonly [key in K]?: string } =>
    text === undefined ? {} : ({ [name]: unit.text(text) } as { readonly [key in K]?: string });
  const pass = <P extends PassTrace>(one: P): P => ({
    ...one,
    total: unit.text(one.total),
    ...optional("requested", one.requested),
    ...(isPercent ? {} : { usage: unit.text(one.usage) }),
  });
  return {
    ...metric,
    ...(target === undefined || isPercent ? {} : { target: { ...target, value: unit.text(target.value) } }),
    ...(first === undefined ? {} : { first: pass(first) }),
    ...(second === undefined
      ? {}
      : { second: { ...pass(second), ...optional("missingAs", second.missingAs) } }),
    ...(pods === undefined
      ? {}
      : {
          pods: pods.map((pod) => ({
            ...pod,
            ...optional("usage", pod.usage),
            ...optional("request", pod.request),
          })),
        }),
    ...(values === undefined ? {} : { values: values.map(unit.text) }),
  };
}

/** What tables and lines of its metrics are made from. */
export function readableDecision<D extends Pick<Decision, "trace">>(decision: D): D {
  return {
    ...decision,
    trace: decision.trace.map((step) => (step.kind === "metric" ? readableMetric(step) : step)),
  };
}
