// The lists of resources that discovery serves, by group and version.
import { getOrAdd } from "@plimsoll/component-base";
import type { FederatedGroup, Federation } from "@plimsoll/federation";
import type { MetricInfo } from "@plimsoll/rules";
import type { Engine } from "../../backends/prometheus/engine.ts";
import { withFederated } from "./federated.ts";
import { createRowsBuilder, type Rows, rowOf } from "./rows.ts";
import { comma, inParts } from "./text-parts.ts";

export interface GroupVersion {
  readonly group: string;
  readonly version: string;
  /** Read at each call: the metrics come and go. The same array means the same rows. */
  readonly resources: () => readonly Rows[];
  /** Without those of other adapters, where there are any: what another adapter reads of us. */
  readonly ownResources?: () => readonly Rows[];
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
  const rows = (group: FederatedGroup, own: () => readonly Rows[]): Omit<GroupVersion, "version"> =>
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
  if (resource !== undefined)
    served.push({ group: resourceGroup, version: "v1beta1", resources: () => resourceMetrics });
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
  convert: (list: readonly T[]) => readonly Rows[],
): () => readonly Rows[] {
  const rows = new WeakMap<readonly T[], readonly Rows[]>();
  return () => {
    const current = list();
    return getOrAdd(rows, current, () => convert(current));
  };
}

function customResources(metrics: readonly MetricInfo[]): readonly Rows[] {
  const builder = createRowsBuilder(kinds[customGroup]);
  for (const { groupResource, metric, namespaced } of metrics)
    builder.add(`${groupResource}/`, metric, namespaced);
  return orPlaceholder(builder.rows(), "custommetrics", kinds[customGroup]);
}

function externalResources(metrics: readonly string[]): readonly Rows[] {
  const builder = createRowsBuilder(kinds[externalGroup]);
  for (const name of metrics) builder.add("", name, true);
  return orPlaceholder(builder.rows(), "externalmetrics", kinds[externalGroup]);
}

/** A group without any row makes older clients complain, so an empty one shows a placeholder. */
function orPlaceholder(rows: readonly Rows[], name: string, kind: string): readonly Rows[] {
  return rows.length === 0 ? [rowOf(name, kind, true)] : rows;
}

const resourceMetrics: readonly Rows[] = [
  rowOf("nodes", "NodeMetrics", false, ["get", "list"]),
  rowOf("pods", "PodMetrics", true, ["get", "list"]),
];

/** metav1.APIResourceList of one version, its rows in the order in which Go writes them. */
export async function resourceListBody(
  { group, version }: GroupVersion,
  rows: readonly Rows[],
): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of inParts(listTexts(`${group}/${version}`, rows))) parts.push(part);
  return Buffer.concat(parts);
}

function* listTexts(groupVersion: string, rows: readonly Rows[]): Generator<string> {
  yield JSON.stringify({ kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: [] }).slice(
    0,
    -2,
  );
  let count = 0;
  for (const { prefix, isNamespaced: namespaced, kind, verbs, names } of rows) {
    const end = JSON.stringify({ singularName: "", namespaced, kind, verbs }).slice(1);
    for (const name of names) yield `${comma(count++)}{"name":${JSON.stringify(prefix + name)},${end}`;
  }
  yield "]}\n";
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
