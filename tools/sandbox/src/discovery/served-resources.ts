import type { ResourceDefinition } from "../resources/definition.ts";
import { reviewDefinitions } from "../rest/reviews.ts";

/** One resource or subresource as discovery shows it; names with a slash are subresources. */
export interface ServedResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  /** Set when the kind is of another group-version than the resource. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

export interface ServedGroupVersion {
  readonly group: string;
  readonly version: string;
  readonly resources: readonly ServedResource[];
}

/** Group-versions of this server's own storage, in order: groups as first seen, preferred version first. */
export function servedGroupVersions(
  definitions: readonly ResourceDefinition[],
): readonly ServedGroupVersion[] {
  const found = new Map<string, { group: string; version: string; resources: ServedResource[] }>();
  const at = (group: string, version: string): ServedResource[] => {
    const key = `${group}/${version}`;
    let entry = found.get(key);
    if (entry === undefined) found.set(key, (entry = { group, version, resources: [] }));
    return entry.resources;
  };
  for (const definition of definitions)
    at(definition.group, definition.version).push(...resourcesOf(definition));
  for (const review of reviewDefinitions) {
    at(review.group, review.version).push({
      name: review.resource,
      singularName: review.kind.toLowerCase(),
      namespaced: review.namespaced,
      kind: review.kind,
      verbs: ["create"],
    });
  }
  return [...found.values()];
}

function resourcesOf(definition: ResourceDefinition): readonly ServedResource[] {
  const { resource, namespaced, kind } = definition;
  const sub = (name: string, extra: Partial<ServedResource>): ServedResource => ({
    name: `${resource}/${name}`,
    singularName: "",
    namespaced,
    kind,
    verbs: ["get", "patch", "update"],
    ...extra,
  });
  return [
    {
      name: resource,
      singularName: definition.singular,
      namespaced,
      kind,
      verbs: definition.verbs,
      ...(definition.shortNames.length === 0 ? {} : { shortNames: definition.shortNames }),
      ...(definition.categories.length === 0 ? {} : { categories: definition.categories }),
    },
    ...(definition.hasStatus ? [sub("status", {})] : []),
    ...(definition.scale === undefined
      ? []
      : [sub("scale", { kind: "Scale", group: "autoscaling", version: "v1" })]),
    ...definition.extras.map(({ name, kind: extraKind, group, version, verbs }) =>
      sub(name, { kind: extraKind, verbs, ...(group === definition.group ? {} : { group, version }) }),
    ),
  ];
}
