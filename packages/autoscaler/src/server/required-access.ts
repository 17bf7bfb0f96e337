// The permissions that each path of the decision API needs.

import type { Resource } from "@plimsoll/decisions";
import type { AccessSpec } from "@plimsoll/kube";

/** What a caller must be allowed to do in the cluster to get a response here. */
export type RequiredAccess = Required<
  Pick<AccessSpec, "resourceAttributes"> | Pick<AccessSpec, "nonResourceAttributes">
>;

const groups: Readonly<Record<Resource, string>> = {
  horizontalpodautoscalers: "autoscaling",
  workloadautoscalers: "autoscaling.plimsoll.dev",
};

export const decisionResources = Object.keys(groups) as readonly Resource[];

/** Undefined: decisions are not about objects of this resource. */
export function groupOf(resource: string): string | undefined {
  const known = decisionResources.find((name) => name === resource);
  return known === undefined ? undefined : groups[known];
}

/** Who may read the object may read what was decided about it. */
export function toGet(object: {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
}): RequiredAccess {
  return { resourceAttributes: { verb: "get", group: groups[object.resource], ...object } };
}

/** Who may list the objects, of one namespace or of all, may read the decisions about them. */
export function toList(resource: Resource, namespace?: string): RequiredAccess {
  const where = namespace === undefined ? {} : { namespace };
  return { resourceAttributes: { verb: "list", group: groups[resource], resource, ...where } };
}

/** As for the paths of any component of Kubernetes. */
export function toRead(path: string): RequiredAccess {
  return { nonResourceAttributes: { path, verb: "get" } };
}
