// Serves discovery documents.
import { getOrAdd } from "@plimsoll/component-base";
import type { ResourceRegistry } from "../resources/registry.ts";
import { type ApiResponse, objectResponse } from "../rest/api-context.ts";
import { parseAccept } from "../rest/negotiate.ts";
import type { JsonRecord } from "../storage/json-value.ts";
import {
  aggregatedDocument,
  type DiscoveredGroup,
  discoveredVersion,
  discoveryMediaType,
} from "./aggregated-document.ts";
import { type ServedGroupVersion, servedGroupVersions } from "./served-resources.ts";

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
  const aggregatedText = createAggregatedTexts();
  return (path: string, accept: string | undefined): ApiResponse | undefined => {
    const definitions = options.registry.all();
    if (definitions !== listed) own = servedGroupVersions(definitions);
    listed = definitions;
    const aggregated = path === "/api" || path === "/apis" ? aggregatedVersion(accept) : undefined;
    if (aggregated !== undefined) {
      const text = aggregatedText(path, aggregated, { own, foreign: options.foreign() });
      return withMediaType(text, aggregated);
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

/** What discovery documents are made of. */
interface Served {
  readonly own: Own;
  readonly foreign: readonly ForeignGroupVersion[];
}

/** Clients read the same documents again and again: they are made once more only where what is served has changed. */
function createAggregatedTexts() {
  const texts = new Map<string, string>();
  let last: Served = { own: [], foreign: [] };
  return (path: string, version: string, served: Served): string => {
    if (!isSame(last, served)) texts.clear();
    last = served;
    return getOrAdd(texts, `${version} ${path}`, () => {
      const groups = discoveredGroups(path, served.own, served.foreign);
      return `${JSON.stringify(aggregatedDocument(groups, version))}\n`;
    });
  };
}

function isSame(one: Served, other: Served): boolean {
  return (
    one.own === other.own &&
    one.foreign.length === other.foreign.length &&
    one.foreign.every(({ group, version, document }, at) => {
      const known = other.foreign[at];
      return known?.document === document && known.group === group && known.version === version;
    })
  );
}

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

function withMediaType(text: string, version: string): ApiResponse {
  return {
    type: "text",
    code: 200,
    contentType: discoveryMediaType(version),
    text,
    headers: { vary: "Accept" },
  };
}

/** A group with its versions, preferred first. */
interface ApiGroup {
  readonly name: string;
  readonly versions: readonly string[];
}

/** Groups but the core one, in the order of the group-versions. */
function groupsOf(served: readonly { group: string; version: string }[]): readonly ApiGroup[] {
  const groups = new Map<string, string[]>();
  for (const { group, version } of served) {
    if (group === "") continue;
    const versions = groups.get(group);
    if (versions === undefined) groups.set(group, [version]);
    else if (!versions.includes(version)) versions.push(version);
  }
  return [...groups].map(([name, versions]) => ({ name, versions }));
}

/** GET /api */
function apiVersionsDocument(serverAddress: string): JsonRecord {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** GET /apis */
function groupListDocument(groups: readonly ApiGroup[]): JsonRecord {
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(groupEntry) };
}

/** GET /apis/GROUP */
function groupDocument(group: ApiGroup): JsonRecord {
  return { kind: "APIGroup", apiVersion: "v1", ...groupEntry(group) };
}

/** GET /api/v1 and /apis/GROUP/VERSION */
function resourceListDocument(served: ServedGroupVersion): JsonRecord {
  const groupVersion = served.group === "" ? served.version : `${served.group}/${served.version}`;
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: served.resources };
}

function groupEntry(group: ApiGroup): JsonRecord {
  const versions = group.versions.map((version) => ({ groupVersion: `${group.name}/${version}`, version }));
  return { name: group.name, versions, preferredVersion: versions[0] };
}
