// The aggregated discovery document, with its entity tag.
import { createHash } from "node:crypto";
import type { Conversion } from "../negotiate.ts";
import type { GroupVersion } from "./resources.ts";
import type { Rows } from "./rows.ts";
import { comma, inParts } from "./text-parts.ts";

export const aggregatedConversions: readonly Conversion[] = [
  { kind: "APIGroupDiscoveryList", group: "apidiscovery.k8s.io", version: "v2" },
  { kind: "APIGroupDiscoveryList", group: "apidiscovery.k8s.io", version: "v2beta1" },
];

/** A document with the entity tag that belongs to exactly its bytes. */
export interface TaggedDocument {
  readonly body: Buffer;
  readonly etag: string;
}

/**
 * Aggregated discovery of all groups. It must be complete or not be served at all: kube-apiserver takes
 * what is absent from it for empty.
 */
export function createAggregatedDiscovery(
  served: readonly GroupVersion[],
): (conversion: Conversion) => Promise<TaggedDocument> {
  const cache = new Map<string, { rows: readonly (readonly Rows[])[]; document: Promise<TaggedDocument> }>();
  return (conversion) => {
    const rows = served.map((entry) => entry.resources());
    const cached = cache.get(conversion.version);
    if (cached?.rows.every((row, index) => row === rows[index]) === true) return cached.document;
    const document = tagged(
      documentOf(
        served.map((entry, at) => ({ ...entry, rows: rows[at] ?? [] })),
        conversion,
      ),
    );
    cache.set(conversion.version, { rows, document });
    return document;
  };
}

async function tagged(texts: Iterable<string>): Promise<TaggedDocument> {
  const hash = createHash("sha256");
  const parts: Buffer[] = [];
  for await (const part of inParts(texts)) {
    hash.update(part);
    parts.push(part);
  }
  return { body: Buffer.concat(parts), etag: `"${hash.digest("hex").toUpperCase()}"` };
}

type Listed = Pick<GroupVersion, "group" | "version"> & { readonly rows: readonly Rows[] };

function* documentOf(served: readonly Listed[], { kind, group, version }: Conversion): Generator<string> {
  const start = JSON.stringify({ kind, apiVersion: `${group}/${version}`, metadata: {}, items: [] });
  yield start.slice(0, -2);
  const groups = [...new Set(served.map((entry) => entry.group))];
  for (const [at, name] of groups.entries()) {
    yield `${comma(at)}{"metadata":{"name":${JSON.stringify(name)},"creationTimestamp":null},"versions":[`;
    for (const [index, entry] of served.filter((one) => one.group === name).entries()) {
      yield `${comma(index)}{"version":${JSON.stringify(entry.version)},"resources":[`;
      yield* resourcesOf(entry);
      yield '],"freshness":"Current"}';
    }
    yield "]}";
  }
  yield "]}\n";
}

/**
 * "pods/http_requests" becomes subresource "http_requests" of a "pods" that has no verbs of its own, as
 * kube-apiserver itself makes it from a legacy document. Its responseKind is empty but must be there.
 * @upstream staging/src/k8s.io/apiserver/pkg/endpoints/installer.go#ConvertGroupVersionIntoToDiscovery
 */
function* resourcesOf({ group, version, rows }: Listed): Generator<string> {
  let count = 0;
  for (const { prefix, isNamespaced, kind, verbs, names } of rows) {
    const responseKind = { group, version, kind };
    const scope = isNamespaced ? "Namespaced" : "Cluster";
    const rest = { scope, singularResource: "" };
    if (prefix === "") {
      const end = JSON.stringify({ responseKind, ...rest, verbs }).slice(1);
      for (const name of names) yield `${comma(count++)}{"resource":${JSON.stringify(name)},${end}`;
      continue;
    }
    const none = { group: "", version: "", kind: "" };
    const resource = {
      resource: prefix.slice(0, -1),
      responseKind: none,
      ...rest,
      verbs: [],
      subresources: [],
    };
    yield comma(count++) + JSON.stringify(resource).slice(0, -2);
    const end = JSON.stringify({ responseKind, verbs }).slice(1);
    for (const [at, name] of names.entries())
      yield `${comma(at)}{"subresource":${JSON.stringify(name)},${end}`;
    yield "]}";
  }
}
