import { type Clock, systemClock } from "@plimsoll/component-base";
import { ConnectionError } from "../client/api-error.ts";
import type { KubeClient } from "../client/client.ts";
import type { ResourceInfo } from "../objects/resource.ts";
import { discoverAggregated } from "./aggregated.ts";
import type { Discovered } from "./discovered.ts";
import { discoverLegacy } from "./legacy.ts";

/** Whose discovery is read, and how long it is cached. */
export interface DiscoveryCacheOptions {
  readonly client: KubeClient;
  readonly clock?: Clock;
  /** How long discovery is cached; 10 minutes by default. */
  readonly maxAgeMs?: number;
  /** Called for groups that could not be read, and for a reading that failed while an older one is used. */
  readonly onError?: (error: unknown) => void;
}

/** An unknown kind may have been installed since, but it must not cause one request per lookup. */
const minUnknownIntervalMs = 10_000;
const maxWaitMs = 3_000;

/** What discovery returned last; one reading is under way at most. */
export function createDiscoveryCache(options: DiscoveryCacheOptions) {
  const { client, clock = systemClock, maxAgeMs = 600_000, onError } = options;
  let last: { readonly discovered: Discovered; readonly readAtMs: number } | undefined;
  let reading: Reading | undefined;
  let failure: { readonly sinceMs: number; readonly error: unknown } | undefined;
  let triedAtMs = Number.NEGATIVE_INFINITY;

  const ageMs = (atMs: number) => Math.abs(clock.nowMs() - atMs);

  async function discover(): Promise<Discovered> {
    triedAtMs = clock.nowMs();
    try {
      const fresh = (await discoverAggregated(client)) ?? (await discoverLegacy(client));
      const discovered = keepLost(fresh, last?.discovered);
      for (const lost of discovered.failures) onError?.(new Error(`discovery of ${lost}`));
      last = { discovered, readAtMs: clock.nowMs() };
      failure = undefined;
      return discovered;
    } catch (error) {
      failure = { sinceMs: failure?.sinceMs ?? triedAtMs, error };
      if (last !== undefined) onError?.(error);
      throw error;
    } finally {
      reading = undefined;
    }
  }

  function read(): Reading {
    reading ??= startReading(clock, discover());
    return reading;
  }

  return {
    /** What is known, which old age does not take away: newer knowledge is fetched behind. */
    known(): Discovered | Promise<Discovered> {
      if (last === undefined) return read().inTime;
      if (ageMs(last.readAtMs) >= maxAgeMs && ageMs(triedAtMs) >= minUnknownIntervalMs) read();
      return last.discovered;
    },
    /** The reading that is under way, or another. */
    read,
    /** Whether discovery may be read because of something that it does not have. */
    mayReadUnknown: (): boolean => reading !== undefined || ageMs(triedAtMs) >= minUnknownIntervalMs,
    /** Why what is known may be out of date; undefined when the last reading succeeded. */
    problem(): string | undefined {
      if (failure === undefined) return undefined;
      const cause = failure.error instanceof Error ? failure.error.message : String(failure.error);
      return `discovery has failed since ${new Date(failure.sinceMs).toISOString()}: ${cause}`;
    },
  };
}

/** A reading of discovery. */
export interface Reading {
  readonly done: Promise<Discovered>;
  /** The same, for callers that serve requests: rejects when it takes too long, and the reading goes on. */
  readonly inTime: Promise<Discovered>;
}

function startReading(clock: Clock, done: Promise<Discovered>): Reading {
  const inTime = new Promise<Discovered>((resolve, reject) => {
    const cancel = clock.after(maxWaitMs, () => {
      reject(new ConnectionError("timeout", `discovery: no response within ${String(maxWaitMs)} ms`));
    });
    done.then(resolve, reject).finally(cancel);
  });
  // Not every caller that starts a reading waits for it.
  inTime.catch(() => undefined);
  return { done, inTime };
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
