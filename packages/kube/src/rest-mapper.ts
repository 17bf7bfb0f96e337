import type { KubeClient } from "./client.ts";
import { type Clock, systemClock } from "./clock.ts";
import { discoverAggregated } from "./discovery/aggregated.ts";
import type { Discovered } from "./discovery/discovered.ts";
import { findKind, findResource } from "./discovery/find.ts";
import { discoverLegacy } from "./discovery/legacy.ts";
import type { ResourceInfo } from "./resource.ts";

/** What the server serves, by discovery. Its functions throw ApiError or ConnectionError when there is none. */
export interface RestMapper {
  /** All versions of the kind, the group's preferred version first; empty when there is none. */
  byKind(group: string, kind: string): Promise<readonly ResourceInfo[]>;
  /**
   * By plural, singular or short name, with or without group: "deployments.apps", "pod",
   * "Ingresses.networking.k8s.io", "hpa". Case does not count.
   */
  byResource(groupResource: string): Promise<ResourceInfo | undefined>;
  /** The versions of a group, preferred first; empty when it is not served. */
  groupVersions(group: string): Promise<readonly string[]>;
  /** Reads discovery anew, whatever its age. */
  refresh(): Promise<void>;
}

export interface RestMapperOptions {
  readonly client: KubeClient;
  readonly clock?: Clock;
  /** How long what discovery said is believed; 10 minutes by default. */
  readonly maxAgeMs?: number;
  /** Told of groups that could not be read, and of a refresh that failed while older knowledge serves on. */
  readonly onError?: (error: unknown) => void;
}

/** An unknown kind may have been installed since, but asking for it must not make one request per question. */
const unknownPaceMs = 10_000;

export function createRestMapper(o: RestMapperOptions): RestMapper {
  const clock = o.clock ?? systemClock;
  const maxAgeMs = o.maxAgeMs ?? 600_000;
  let held: { readonly discovered: Discovered; readonly readAtMs: number } | undefined;
  let reading: Promise<Discovered> | undefined;
  let triedAtMs = Number.NEGATIVE_INFINITY;

  const ageMs = (atMs: number) => Math.abs(clock.nowMs() - atMs);

  function read(): Promise<Discovered> {
    reading ??= (async () => {
      triedAtMs = clock.nowMs();
      try {
        const fresh = (await discoverAggregated(o.client)) ?? (await discoverLegacy(o.client));
        const discovered = keepLost(fresh, held?.discovered);
        for (const failure of discovered.failures) o.onError?.(new Error(`discovery of ${failure}`));
        held = { discovered, readAtMs: clock.nowMs() };
        return discovered;
      } finally {
        reading = undefined;
      }
    })();
    return reading;
  }

  async function known(): Promise<Discovered> {
    if (held === undefined) return read();
    if (ageMs(held.readAtMs) < maxAgeMs || ageMs(triedAtMs) < unknownPaceMs) return held.discovered;
    return readOr(held.discovered);
  }

  async function readOr(older: Discovered): Promise<Discovered> {
    try {
      return await read();
    } catch (error) {
      o.onError?.(error);
      return older;
    }
  }

  /** Looks once more in fresh discovery for what is not there. */
  async function find<R>(look: (discovered: Discovered) => R, isMissing: (result: R) => boolean): Promise<R> {
    const discovered = await known();
    const result = look(discovered);
    if (!isMissing(result) || ageMs(triedAtMs) < unknownPaceMs) return result;
    return look(await readOr(discovered));
  }

  return {
    byKind: (group, kind) =>
      find(
        (discovered) => findKind(discovered, group, kind),
        (infos) => infos.length === 0,
      ),
    byResource: (groupResource) =>
      find(
        (discovered) => findResource(discovered, groupResource),
        (info) => info === undefined,
      ),
    groupVersions: (group) =>
      find(
        (discovered) => discovered.groups.find((candidate) => candidate.group === group)?.versions ?? [],
        (versions) => versions.length === 0,
      ),
    async refresh() {
      await read();
    },
  };
}

/** A version that failed this time keeps the resources that it had. */
function keepLost(fresh: Discovered, former: Discovered | undefined): Discovered {
  if (former === undefined || fresh.failures.length === 0) return fresh;
  const groups = fresh.groups.map((group) => {
    const empty = group.versions.filter(
      (version) => !group.resources.some((info) => info.version === version),
    );
    const before = former.groups.find((candidate) => candidate.group === group.group)?.resources ?? [];
    const kept = before.filter((info) => empty.includes(info.version));
    if (kept.length === 0) return group;
    const rank = (info: ResourceInfo) => group.versions.indexOf(info.version);
    return { ...group, resources: [...group.resources, ...kept].toSorted((a, b) => rank(a) - rank(b)) };
  });
  return { ...fresh, groups };
}
