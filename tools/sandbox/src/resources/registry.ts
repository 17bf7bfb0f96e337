import type { ObjectStore } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { builtinResources } from "./builtin-resources.ts";
import { customResourcesOf } from "./custom-resources.ts";
import type { ResourceDefinition } from "./definition.ts";

/** What is served from this server's own storage, now: built-in kinds and those of CustomResourceDefinitions. */
export interface ResourceRegistry {
  all(): readonly ResourceDefinition[];
  find(group: string, version: string, resource: string): ResourceDefinition | undefined;
  /** Any version of a storage key. */
  byStorage(storage: string): ResourceDefinition | undefined;
  hasGroupVersion(group: string, version: string): boolean;
}

const crdStorage = "customresourcedefinitions.apiextensions.k8s.io";

export function createResourceRegistry(store: ObjectStore): ResourceRegistry {
  let index: Index | undefined;
  let indexed: readonly StoredObject[] | undefined;
  const current = (): Index => {
    // The store returns the same list as long as nothing in it changes.
    const definitions = store.list(crdStorage);
    if (index === undefined || definitions !== indexed) index = buildIndex(definitions);
    indexed = definitions;
    return index;
  };
  return {
    all: () => current().all,
    find: (group, version, resource) => current().byName.get(`${group}/${version}/${resource}`),
    byStorage: (storage) => current().byStorage.get(storage),
    hasGroupVersion: (group, version) => current().groupVersions.has(`${group}/${version}`),
  };
}

interface Index {
  readonly all: readonly ResourceDefinition[];
  readonly byName: ReadonlyMap<string, ResourceDefinition>;
  readonly byStorage: ReadonlyMap<string, ResourceDefinition>;
  readonly groupVersions: ReadonlySet<string>;
}

function buildIndex(definitions: readonly StoredObject[]): Index {
  const all = [...builtinResources, ...definitions.flatMap(customResourcesOf)];
  const byStorage = new Map<string, ResourceDefinition>();
  for (const definition of all) {
    if (!byStorage.has(definition.storage)) byStorage.set(definition.storage, definition);
  }
  return {
    all,
    byName: new Map(all.map((one) => [`${one.group}/${one.version}/${one.resource}`, one])),
    byStorage,
    groupVersions: new Set(all.map((one) => `${one.group}/${one.version}`)),
  };
}
