import type { MetricIdentifier } from "../../objects/metric-spec.ts";

/** A copy without anything that does not belong to the status. */
export function identifierOf(metric: MetricIdentifier): MetricIdentifier {
  const { name, selector } = metric;
  return selector === undefined || selector === null ? { name } : { name, selector };
}
