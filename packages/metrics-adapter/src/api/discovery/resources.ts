import type { MetricInfo } from "@plimsoll/rules";
import type { Engine } from "../../backends/prometheus/engine.ts";

/** metav1.APIResource, in the order in which Go writes it. */
export interface ApiResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  readonly verbs: readonly string[];
}

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
  /** Read at each call: the metrics come and go. The same array means the same rows. */
  readonly resources: () => readonly ApiResource[];
}

export const customGroup = "custom.metrics.k8s.io";
export const externalGroup = "external.metrics.k8s.io";
export const resourceGroup = "metrics.k8s.io";

/** Exactly get: with list or watch, garbage collection, quota and namespace deletion would try to use them. */
const metricVerbs: readonly string[] = ["get"];

/** Served API versions, the preferred one of a group first. */
export function servedGroupVersions(
  engine: Pick<Engine, "custom" | "external" | "resource">,
): readonly GroupVersion[] {
  const { custom, external, resource } = engine;
  const served: GroupVersion[] = [];
  if (custom !== undefined) {
    const resources = remember(() => custom.list(), customResources);
    served.push({ group: customGroup, version: "v1beta2", resources });
    served.push({ group: customGroup, version: "v1beta1", resources });
  }
  if (external !== undefined) {
    const resources = remember(() => external.list(), externalResources);
    served.push({ group: externalGroup, version: "v1beta1", resources });
  }
  if (resource !== undefined) {
    served.push({ group: resourceGroup, version: "v1beta1", resources: () => resourceMetrics });
  }
  return served;
}

/** A provider's list is an immutable snapshot, so rows are remade only when it changes. */
function remember<T>(
  list: () => readonly T[],
  convert: (list: readonly T[]) => readonly ApiResource[],
): () => readonly ApiResource[] {
  let last: { readonly list: readonly T[]; readonly rows: readonly ApiResource[] } | undefined;
  return () => {
    const current = list();
    if (last === undefined || last.list !== current) {
      last = { list: current, rows: convert(current) };
    }
    return last.rows;
  };
}

function customResources(metrics: readonly MetricInfo[]): readonly ApiResource[] {
  // One scope for a resource: clients refuse a document that gives it two.
  const namespaced = new Map<string, boolean>();
  const names = new Map<string, string>();
  for (const info of metrics) {
    namespaced.set(info.groupResource, info.namespaced || namespaced.get(info.groupResource) === true);
    names.set(`${info.groupResource}/${info.metric}`, info.groupResource);
  }
  const rows = [...names].map(([name, groupResource]) =>
    metricRow(name, "MetricValueList", namespaced.get(groupResource) === true),
  );
  return rows.length === 0 ? [metricRow("custommetrics", "MetricValueList", true)] : rows.sort(byName);
}

/** A group without any row makes older clients complain, so an empty one shows a placeholder. */
function externalResources(metrics: readonly string[]): readonly ApiResource[] {
  const rows = [...new Set(metrics)].map((name) => metricRow(name, "ExternalMetricValueList", true));
  return rows.length === 0
    ? [metricRow("externalmetrics", "ExternalMetricValueList", true)]
    : rows.sort(byName);
}

const resourceMetrics: readonly ApiResource[] = [
  { name: "nodes", singularName: "", namespaced: false, kind: "NodeMetrics", verbs: ["get", "list"] },
  { name: "pods", singularName: "", namespaced: true, kind: "PodMetrics", verbs: ["get", "list"] },
];

function metricRow(name: string, kind: string, namespaced: boolean): ApiResource {
  return { name, singularName: "", namespaced, kind, verbs: metricVerbs };
}

function byName(a: ApiResource, b: ApiResource): number {
  return a.name < b.name ? -1 : Number(a.name > b.name);
}

/** metav1.APIResourceList of one version. */
export function resourceList(groupVersion: GroupVersion): object {
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: `${groupVersion.group}/${groupVersion.version}`,
    resources: groupVersion.resources(),
  };
}
