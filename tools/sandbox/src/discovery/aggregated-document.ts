import type { JsonRecord } from "../storage/json-value.ts";
import type { ServedGroupVersion, ServedResource } from "./served-resources.ts";

export const discoveryVersions: readonly string[] = ["v2", "v2beta1"];

export function discoveryMediaType(version: string): string {
  return `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
}

/** Version entries of one group in an APIGroupDiscoveryList. */
export interface DiscoveredGroup {
  readonly name: string;
  readonly versions: readonly JsonRecord[];
}

/** GET /api and /apis with an aggregated Accept. */
export function aggregatedDocument(groups: readonly DiscoveredGroup[], version: string): JsonRecord {
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? { creationTimestamp: null } : { name, creationTimestamp: null },
      versions,
    })),
  };
}

/** One group-version of an APIGroupDiscoveryList; subresources hang below their resource. */
export function discoveredVersion(
  served: ServedGroupVersion,
  freshness: "Current" | "Stale" = "Current",
): JsonRecord {
  const subresources = new Map<string, JsonRecord[]>();
  for (const one of served.resources) {
    const [parent = "", name] = one.name.split("/");
    if (name === undefined) continue;
    const entry = { subresource: name, responseKind: kindOf(one, served), verbs: one.verbs };
    subresources.set(parent, [...(subresources.get(parent) ?? []), entry]);
  }
  const named = new Set(served.resources.map((one) => one.name));
  const orphans = [...subresources.keys()].filter((parent) => !named.has(parent));
  return {
    version: served.version,
    resources: [
      ...served.resources
        .filter((one) => !one.name.includes("/"))
        .map((one) => ({
          resource: one.name,
          responseKind: kindOf(one, served),
          scope: one.namespaced ? "Namespaced" : "Cluster",
          singularResource: one.singularName,
          verbs: one.verbs,
          ...(one.shortNames === undefined ? {} : { shortNames: one.shortNames }),
          ...(one.categories === undefined ? {} : { categories: one.categories }),
          ...(subresources.has(one.name) ? { subresources: subresources.get(one.name) } : {}),
        })),
      ...orphans.map((parent) => orphanParent(parent, served, subresources.get(parent) ?? [])),
    ],
    freshness,
  };
}

// custom.metrics.k8s.io lists only `pods/some-metric`; the parent is made up, as kube-aggregator does.
function orphanParent(
  parent: string,
  served: ServedGroupVersion,
  subresources: readonly JsonRecord[],
): JsonRecord {
  const first = served.resources.find((one) => one.name.startsWith(`${parent}/`));
  return {
    resource: parent,
    responseKind: { group: "", version: "", kind: "" },
    scope: first?.namespaced === true ? "Namespaced" : "Cluster",
    singularResource: "",
    verbs: [],
    subresources,
  };
}

function kindOf(resource: ServedResource, served: ServedGroupVersion): JsonRecord {
  return {
    group: resource.group ?? served.group,
    version: resource.version ?? served.version,
    kind: resource.kind,
  };
}
