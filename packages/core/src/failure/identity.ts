import type { MetricIdentifier, MetricSpec } from "../spec/metric-spec.ts";

/**
 * What distinguishes the readings of one metric from those of another, as JSON: type, names, selector and described object.
 * Neither the target nor the position in the list belongs to it.
 */
export function metricIdentity(spec: MetricSpec): string {
  const { type, resource, containerResource, pods, object, external, query } = spec;
  // Its name in the specification is its position, which may be another query's next.
  if (query !== undefined) return JSON.stringify([type, query.metric]);
  const metric = (pods ?? object ?? external)?.metric;
  const described = object?.describedObject;
  return JSON.stringify([
    type,
    metric?.name ?? (resource ?? containerResource)?.name,
    containerResource?.container,
    selectorParts(metric?.selector),
    described && [described.apiVersion, described.kind, described.name],
  ]);
}

function selectorParts(selector: MetricIdentifier["selector"]): unknown {
  if (selector === undefined || selector === null) return null;
  const labels = Object.entries(selector.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return [labels, selector.matchExpressions ?? []];
}
