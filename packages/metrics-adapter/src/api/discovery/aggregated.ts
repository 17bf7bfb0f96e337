// The aggregated discovery document, with its entity tag.
import { createHash } from "node:crypto";
import type { Conversion } from "../negotiate.ts";
import type { ApiResource, GroupVersion } from "./resources.ts";

export const aggregatedConversions: readonly Conversion[] = [
  { kind: "APIGroupDiscoveryList", group: "apidiscovery.k8s.io", version: "v2" },
  { kind: "APIGroupDiscoveryList", group: "apidiscovery.k8s.io", version: "v2beta1" },
];

/** A document with the entity tag that belongs to exactly its bytes. */
export interface TaggedDocument {
  readonly body: Buffer;
  readonly etag: string;
}

interface Subresource {
  readonly subresource: string;
  readonly responseKind: Kind;
  readonly verbs: readonly string[];
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface Resource {
  readonly resource: string;
  readonly responseKind: Kind;
  readonly scope: "Namespaced" | "Cluster";
  readonly singularResource: string;
  readonly verbs: readonly string[];
  readonly subresources?: readonly Subresource[];
}

/**
 * Aggregated discovery of all groups. It must be complete or not be served at all: kube-apiserver takes
 * what is absent from it for empty.
 */
export function createAggregatedDiscovery(
  served: readonly GroupVersion[],
): (conversion: Conversion) => TaggedDocument {
  const cache = new Map<string, { rows: readonly (readonly ApiResource[])[]; document: TaggedDocument }>();
  return (conversion) => {
    const rows = served.map((entry) => entry.resources());
    const cached = cache.get(conversion.version);
    if (cached !== undefined && cached.rows.every((row, index) => row === rows[index])) {
      return cached.document;
    }
    const body = Buffer.from(`${JSON.stringify(discoveryList(served, conversion))}\n`);
    const etag = `"${createHash("sha256").update(body).digest("hex").toUpperCase()}"`;
    const document = { body, etag };
    cache.set(conversion.version, { rows, document });
    return document;
  };
}

function discoveryList(served: readonly GroupVersion[], conversion: Conversion): object {
  const groups = new Set(served.map((entry) => entry.group));
  return {
    kind: conversion.kind,
    apiVersion: `${conversion.group}/${conversion.version}`,
    metadata: {},
    items: [...groups].map((group) => ({
      metadata: { name: group, creationTimestamp: null },
      versions: served
        .filter((entry) => entry.group === group)
        .map((entry) => ({ version: entry.version, resources: nestResources(entry), freshness: "Current" })),
    })),
  };
}

/**
 * "pods/http_requests" becomes subresource "http_requests" of a "pods" that has no verbs of its own, as
 * kube-apiserver itself makes it from a legacy document. Its responseKind is empty but must be there.
 * @upstream staging/src/k8s.io/apiserver/pkg/endpoints/installer.go#ConvertGroupVersionIntoToDiscovery
 */
function nestResources(groupVersion: GroupVersion): readonly Resource[] {
  const resources = new Map<string, Resource & { readonly subresources: Subresource[] }>();
  const { group, version } = groupVersion;
  for (const row of groupVersion.resources()) {
    const responseKind = { group, version, kind: row.kind };
    const slash = row.name.indexOf("/");
    const name = slash < 0 ? row.name : row.name.slice(0, slash);
    const known = resources.get(name);
    const entry = known ?? {
      resource: name,
      responseKind: slash < 0 ? responseKind : { group: "", version: "", kind: "" },
      scope: row.namespaced ? ("Namespaced" as const) : ("Cluster" as const),
      singularResource: row.singularName,
      verbs: slash < 0 ? row.verbs : [],
      subresources: [],
    };
    if (slash >= 0) {
      entry.subresources.push({ subresource: row.name.slice(slash + 1), responseKind, verbs: row.verbs });
    }
    resources.set(name, entry);
  }
  return [...resources.values()].map((entry) => {
    const { subresources, ...rest } = entry;
    return subresources.length === 0 ? rest : { ...rest, subresources };
  });
}
