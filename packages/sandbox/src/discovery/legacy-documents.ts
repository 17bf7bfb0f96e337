import type { JsonRecord } from "../storage/json-value.ts";
import type { ServedGroupVersion } from "./served-resources.ts";

/** A group with its versions, preferred first. */
export interface ApiGroup {
  readonly name: string;
  readonly versions: readonly string[];
}

/** Groups but the core one, in the order of the group-versions. */
export function groupsOf(served: readonly { group: string; version: string }[]): readonly ApiGroup[] {
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
export function apiVersionsDocument(serverAddress: string): JsonRecord {
  return {
    kind: "APIVersions",
    versions: ["v1"],
    serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress }],
  };
}

/** GET /apis */
export function groupListDocument(groups: readonly ApiGroup[]): JsonRecord {
  return { kind: "APIGroupList", apiVersion: "v1", groups: groups.map(groupEntry) };
}

/** GET /apis/GROUP */
export function groupDocument(group: ApiGroup): JsonRecord {
  return { kind: "APIGroup", apiVersion: "v1", ...groupEntry(group) };
}

/** GET /api/v1 and /apis/GROUP/VERSION */
export function resourceListDocument(served: ServedGroupVersion): JsonRecord {
  const groupVersion = served.group === "" ? served.version : `${served.group}/${served.version}`;
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: served.resources };
}

function groupEntry(group: ApiGroup): JsonRecord {
  const versions = group.versions.map((version) => ({ groupVersion: `${group.name}/${version}`, version }));
  return { name: group.name, versions, preferredVersion: versions[0] };
}
