// Kinds and resources of the server, found by discovery.
import { type Awaitable, chain } from "@plimsoll/component-base";
import type { ResourceInfo } from "../objects/resource.ts";
import type { Discovered } from "./discovered.ts";
import { createDiscoveryCache, type DiscoveryCacheOptions } from "./discovery-cache.ts";
import { findKind, findResource } from "./find.ts";

/**
 * What the server serves, by discovery. What is known is returned at once, however long the server is away. Its functions
 * throw ApiError or ConnectionError when nothing is known yet.
 */
export interface RestMapper {
  /** All versions of the kind, the group's preferred version first; empty when there is none. */
  byKind(group: string, kind: string): Promise<readonly ResourceInfo[]>;
  /**
   * By plural, singular or short name, with or without group: "deployments.apps", "pod",
   * "Ingresses.networking.k8s.io", "hpa". Case does not count. No promise where it is known.
   */
  byResource(groupResource: string): Awaitable<ResourceInfo | undefined>;
  /** The versions of a group, preferred first; empty when it is not served. */
  groupVersions(group: string): Promise<readonly string[]>;
  /** Reads discovery once more, whatever its age. */
  refresh(): Promise<void>;
  /** Why what is known may be out of date; undefined when the last reading succeeded. */
  problem(): string | undefined;
}

/** Whose discovery is read, and how long it is cached. */
export type RestMapperOptions = DiscoveryCacheOptions;

export function createRestMapper(options: RestMapperOptions): RestMapper {
  const cache = createDiscoveryCache(options);

  /** Looks once more in fresh discovery for what is not there. */
  function find<R>(look: (discovered: Discovered) => R, isMissing: (result: R) => boolean): Awaitable<R> {
    return chain(cache.known(), (discovered) => {
      const result = look(discovered);
      if (!isMissing(result) || !cache.mayReadUnknown()) return result;
      return cache.read().inTime.then(look, () => result);
    });
  }

  return {
    byKind: async (group, kind) =>
      await find(
        (discovered) => findKind(discovered, group, kind),
        (infos) => infos.length === 0,
      ),
    byResource: (groupResource) =>
      find(
        (discovered) => findResource(discovered, groupResource),
        (info) => info === undefined,
      ),
    groupVersions: async (group) =>
      await find(
        (discovered) => discovered.groups.find((candidate) => candidate.group === group)?.versions ?? [],
        (versions) => versions.length === 0,
      ),
    async refresh() {
      await cache.read().done;
    },
    problem: cache.problem,
  };
}
