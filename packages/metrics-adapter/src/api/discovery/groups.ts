import type { GroupVersion } from "./resources.ts";

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
