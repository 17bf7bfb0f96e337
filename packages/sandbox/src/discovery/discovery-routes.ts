// Serves discovery documents.
import type { ResourceRegistry } from "../resources/registry.ts";
import type { ApiResponse } from "../rest/api-context.ts";
import { objectResponse } from "../rest/api-context.ts";
import { parseAccept } from "../rest/negotiate.ts";
import type { JsonRecord } from "../storage/json-value.ts";
import {
  aggregatedDocument,
  type DiscoveredGroup,
  discoveredVersion,
  discoveryMediaType,
} from "./aggregated-document.ts";
import {
  type ApiGroup,
  apiVersionsDocument,
  groupDocument,
  groupListDocument,
  groupsOf,
  resourceListDocument,
} from "./legacy-documents.ts";
import { servedGroupVersions } from "./served-resources.ts";

/** A group-version that a backend serves, with what is known of its discovery. */
export interface ForeignGroupVersion {
  readonly group: string;
  readonly version: string;
  readonly document: JsonRecord;
}

export interface DiscoveryInput {
  readonly registry: ResourceRegistry;
  /** Group-versions of APIServices with a backend, preferred versions first. */
  readonly foreign: () => readonly ForeignGroupVersion[];
  readonly serverAddress: () => string;
}

/** /api, /apis and what is below, in both forms; undefined for any other path. */
export function discoveryRoutes(options: DiscoveryInput) {
  let own: Own = [];
  let listed: ReturnType<ResourceRegistry["all"]> | undefined;
  return (path: string, accept: string | undefined): ApiResponse | undefined => {
    const definitions = options.registry.all();
    if (definitions !== listed) own = servedGroupVersions(definitions);
    listed = definitions;
    const aggregated = path === "/api" || path === "/apis" ? aggregatedVersion(accept) : undefined;
    if (aggregated !== undefined) {
      const groups = discoveredGroups(path, own, options.foreign());
      return withMediaType(aggregatedDocument(groups, aggregated), aggregated);
    }
    if (path === "/api") return objectResponse(apiVersionsDocument(options.serverAddress()));
    if (path === "/apis") return objectResponse(groupListDocument(allGroups(own, options.foreign())));
    const match = /^\/(?:api\/(v1)|apis\/([^/]+)(?:\/([^/]+))?)$/.exec(path);
    if (match === null) return undefined;
    const [, core, group = "", version] = match;
    if (core === undefined && version === undefined) {
      const found = allGroups(own, options.foreign()).find((one) => one.name === group);
      return found === undefined ? undefined : objectResponse(groupDocument(found));
    }
    const wanted = own.find((one) => one.group === group && one.version === (core ?? version));
    return wanted === undefined ? undefined : objectResponse(resourceListDocument(wanted));
  };
}

type Own = ReturnType<typeof servedGroupVersions>;

function allGroups(own: Own, foreign: readonly ForeignGroupVersion[]): readonly ApiGroup[] {
  return groupsOf([...own, ...foreign]);
}

function discoveredGroups(
  path: string,
  own: Own,
  foreign: readonly ForeignGroupVersion[],
): readonly DiscoveredGroup[] {
  if (path === "/api") {
    return [
      { name: "", versions: own.filter((one) => one.group === "").map((one) => discoveredVersion(one)) },
    ];
  }
  return allGroups(own, foreign).map(({ name, versions }) => ({
    name,
    versions: versions.map((version) => {
      const local = own.find((one) => one.group === name && one.version === version);
      if (local !== undefined) return discoveredVersion(local);
      return foreign.find((one) => one.group === name && one.version === version)?.document ?? {};
    }),
  }));
}

// The first range that can be served decides; plain JSON before the aggregated form means the legacy one.
function aggregatedVersion(accept: string | undefined): string | undefined {
  for (const { type, parameters } of parseAccept(accept)) {
    const wild = type === "*/*" || type === "application/*";
    if (parameters["as"] === undefined && (type === "application/json" || wild)) return undefined;
    if (type !== "application/json" || parameters["g"] !== "apidiscovery.k8s.io") continue;
    const version = parameters["v"];
    if (parameters["as"] === "APIGroupDiscoveryList" && (version === "v2" || version === "v2beta1"))
      return version;
  }
  return undefined;
}

function withMediaType(document: JsonRecord, version: string): ApiResponse {
  return {
    type: "text",
    code: 200,
    contentType: discoveryMediaType(version),
    text: `${JSON.stringify(document)}\n`,
    headers: { vary: "Accept" },
  };
}
