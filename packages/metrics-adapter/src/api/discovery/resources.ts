// The lists of resources that discovery serves, by group and version.
import { getOrAdd } from "@plimsoll/component-base";
import type { FederatedGroup, Federation } from "@plimsoll/federation";
import type { MetricInfo } from "@plimsoll/rules";
import type { Engine } from "../../backends/prometheus/engine.ts";
import { withFederated } from "./federated.ts";
import { type ApiResource, byName, metricRow } from "./rows.ts";

export type { ApiResource } from "./rows.ts";

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
  /** Read at each call: the metrics come and go. The same array means the same rows. */
  readonly resources: () => readonly ApiResource[];
  /** Without those of other adapters, where there are any: what another adapter reads of us. */
  readonly ownResources?: () => readonly ApiResource[];
}

/** What discovery needs of other adapters. */
export type FederatedLists = Pick<Federation, "groups" | "rows">;

export const customGroup = "custom.metrics.k8s.io";
export const externalGroup = "external.metrics.k8s.io";
export const resourceGroup = "metrics.k8s.io";

/** Served API versions, the preferred one of a group first. */
export function servedGroupVersions(
  engine: Pick<Engine, "custom" | "external" | "resource">,
  federation?: FederatedLists,
): readonly GroupVersion[] {
  const { custom, external, resource } = engine;
  const served: GroupVersion[] = [];
  const rows = (group: FederatedGroup, own: () => readonly ApiResource[]): Omit<GroupVersion, "version"> =>
    federation?.groups.has(group) === true
      ? {
          group,
          resources: withFederated(own, () => federation.rows(group), kinds[group]),
          ownResources: own,
        }
      : { group, resources: own };
  if (custom !== undefined || federation?.groups.has(customGroup) === true) {
    const lists = rows(
      customGroup,
      remember(() => custom?.list() ?? none, customResources),
    );
    served.push({ ...lists, version: "v1beta2" });
    served.push({ ...lists, version: "v1beta1" });
  }
  if (external !== undefined || federation?.groups.has(externalGroup) === true) {
    const lists = rows(
      externalGroup,
      remember(() => external?.list() ?? none, externalResources),
    );
    served.push({ ...lists, version: "v1beta1" });
  }
  if (resource !== undefined) {
    served.push({ group: resourceGroup, version: "v1beta1", resources: () => resourceMetrics });
  }
  return served;
}

const kinds: Readonly<Record<FederatedGroup, string>> = {
  "custom.metrics.k8s.io": "MetricValueList",
  "external.metrics.k8s.io": "ExternalMetricValueList",
};
const none: readonly never[] = [];

/** A provider's list is an immutable snapshot, so rows are remade only when it changes, and forgotten with it. */
function remember<T>(
  list: () => readonly T[],
  convert: (list: readonly T[]) => readonly ApiResource[],
): () => readonly ApiResource[] {
  const rows = new WeakMap<readonly T[], readonly ApiResource[]>();
  return () => {
    const current = list();
    return getOrAdd(rows, current, () => convert(current));
  };
}

function customResources(metrics: readonly MetricInfo[]): readonly ApiResource[] {
  // One scope for a resource: clients refuse a document that gives it two.
  const namespaced = new Map<string, boolean>();
  for (const info of metrics)
    namespaced.set(info.groupResource, info.namespaced || namespaced.get(info.groupResource) === true);
  const rows = metrics
    .map(({ groupResource, metric }) =>
      metricRow(`${groupResource}/${metric}`, "MetricValueList", namespaced.get(groupResource) === true),
    )
    .sort(byName)
    .filter(({ name }, at, sorted) => name !== sorted[at - 1]?.name);
  return rows.length === 0 ? [metricRow("custommetrics", "MetricValueList", true)] : rows;
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

/** metav1.APIResourceList of one version. */
export function resourceList(groupVersion: GroupVersion) {
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: `${groupVersion.group}/${groupVersion.version}`,
    resources: groupVersion.resources(),
  };
}

/** metav1.APIGroup of one group, or undefined when it is not served. */
export function apiGroup(served: readonly GroupVersion[], group: string): object | undefined {
  const body = groupBody(served, group);
  return body === undefined ? undefined : { kind: "APIGroup", apiVersion: "v1", ...body };
}

/** metav1.APIGroupList. */
export function apiGroupList(served: readonly GroupVersion[]): object {
  const groups = new Set(served.map((entry) => entry.group));
  return {
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: [...groups].map((group) => groupBody(served, group)),
  };
}

function groupBody(served: readonly GroupVersion[], group: string): object | undefined {
  const versions = served
    .filter((entry) => entry.group === group)
    .map((entry) => ({ groupVersion: `${group}/${entry.version}`, version: entry.version }));
  const [preferredVersion] = versions;
  return preferredVersion === undefined ? undefined : { name: group, versions, preferredVersion };
}
