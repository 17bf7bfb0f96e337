import type { MetricIdentifier, MetricSpec } from "../../objects/metric-spec.ts";
import { metricIdentifier, metricName } from "../../objects/metrics.ts";

/**
 * What distinguishes the readings of one metric from those of another, as JSON: type, names, selector and described object.
 * Neither the target nor the position in the list belongs to it.
 */
export function metricIdentity(spec: MetricSpec): string {
  const { type, containerResource, object, query } = spec;
  // Its name in the specification is its position, which may be another query's next.
  if (query !== undefined) return JSON.stringify([type, query.metric]);
  const described = object?.describedObject;
  return JSON.stringify([
    type,
    metricName(spec),
    containerResource?.container,
    selectorParts(metricIdentifier(spec)?.selector),
    described && [described.apiVersion, described.kind, described.name],
  ]);
}

function selectorParts(selector: MetricIdentifier["selector"]): unknown {
  if (selector === undefined || selector === null) return null;
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return [labels, selector.matchExpressions ?? []];
}
