/** One readable path of an API, relative to /apis/GROUP/VERSION, with the kind of its response. */
export interface ApiPath {
  readonly path: string;
  readonly verb: "get" | "list";
  readonly kind: string;
  readonly operation: string;
}

export const customPaths: readonly ApiPath[] = [
  path("/{resource}/{name}/{metric}", "get", "MetricValueList", "ClusterMetric"),
  path("/namespaces/{namespace}/{resource}/{name}/{metric}", "get", "MetricValueList", "NamespacedMetric"),
  path("/namespaces/{namespace}/metrics/{metric}", "get", "MetricValueList", "NamespaceMetric"),
];

export const externalPaths: readonly ApiPath[] = [
  path("/namespaces/{namespace}/{metric}", "list", "ExternalMetricValueList", "NamespacedExternalMetric"),
];

export const resourcePaths: readonly ApiPath[] = [
  path("/nodes", "list", "NodeMetricsList", "NodeMetrics"),
  path("/nodes/{name}", "get", "NodeMetrics", "NodeMetrics"),
  path("/pods", "list", "PodMetricsList", "PodMetricsForAllNamespaces"),
  path("/namespaces/{namespace}/pods", "list", "PodMetricsList", "NamespacedPodMetrics"),
  path("/namespaces/{namespace}/pods/{name}", "get", "PodMetrics", "NamespacedPodMetrics"),
];

function path(template: string, verb: "get" | "list", kind: string, operation: string): ApiPath {
  return { path: template, verb, kind, operation };
}

/** Names in braces, in order. */
export function pathParameters(template: string): readonly string[] {
  return [...template.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? "");
}
