// Finds kinds and resources in discovery documents.
import { getOrAdd } from "@plimsoll/component-base";
import type { ResourceInfo } from "../objects/resource.ts";
import type { Discovered } from "./discovered.ts";

/** All versions of a kind, in the order of the group's preference. */
export function findKind(discovered: Discovered, group: string, kind: string): readonly ResourceInfo[] {
  return discovered.groups
    .filter((candidate) => candidate.group === group)
    .flatMap(({ resources }) => resources.filter((info) => info.kind === kind));
}

/**
 * The first resource of that name in the order of the server's groups, exact names before short ones. What follows
 * the first dot is the group, or as in "deployments.v1.apps" the version and then the group, or else how a group
 * begins: "ingresses.networking".
 * @upstream apimachinery/pkg/api/meta/restmapper.go#ResourcesFor
 */
export function findResource(discovered: Discovered, groupResource: string): ResourceInfo | undefined {
  const wanted = groupResource.toLowerCase();
  const dot = wanted.indexOf(".");
  if (dot === -1) return findNamed(discovered, wanted, () => true);
  const name = wanted.slice(0, dot);
  const rest = wanted.slice(dot + 1);
  const byGroup = findNamed(discovered, name, (info) => info.group === rest);
  if (byGroup !== undefined) return byGroup;
  const byVersion = findNamed(discovered, name, (info) => rest === `${info.version}.${info.group}`);
  if (byVersion !== undefined || rest === "") return byVersion;
  return findNamed(discovered, name, (info) => info.group.startsWith(rest));
}

function findNamed(
  discovered: Discovered,
  name: string,
  accepts: (info: ResourceInfo) => boolean,
): ResourceInfo | undefined {
  const named = indexOf(discovered).get(name);
  return named?.plural.find(accepts) ?? named?.singular.find(accepts) ?? named?.short.find(accepts);
}

/** The resources that have a name, in the order of the server's groups. */
interface Named {
  readonly plural: ResourceInfo[];
  readonly singular: ResourceInfo[];
  readonly short: ResourceInfo[];
}

type Index = ReadonlyMap<string, Named>;

/** Servers have hundreds of resources, and requests look one up each time. */
const indexes = new WeakMap<Discovered, Index>();

function indexOf(discovered: Discovered): Index {
  const known = indexes.get(discovered);
  if (known !== undefined) return known;
  const index = new Map<string, Named>();
  const named = (name: string): Named =>
    getOrAdd(index, name.toLowerCase(), () => ({ plural: [], singular: [], short: [] }));
  for (const info of discovered.groups.flatMap(({ resources }) => resources)) {
    named(info.resource).plural.push(info);
    named(info.singular).singular.push(info);
    for (const short of info.shortNames) named(short).short.push(info);
  }
  indexes.set(discovered, index);
  return index;
}
