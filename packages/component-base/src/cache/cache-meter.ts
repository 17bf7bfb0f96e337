import type { Clock } from "../clock/clock.ts";
import { type CacheTiming, cacheTiming } from "./cache-timing.ts";
import { getOrAdd } from "./get-or-add.ts";

/** Reports the memory of caches. Each process has one, and gives it to the caches that are to be watched. */
export interface CacheMeter {
  /** For caches that are given no timing of their own; absent: the runtime's. */
  readonly timing?: CacheTiming | undefined;
  /** A cache that is gone counts no more. */
  add(name: string, cache: { readonly bytes: number }): void;
  /** What the caches of each name take together, in bytes as they count them. */
  bytes(): ReadonlyMap<string, number>;
}

/** Without caches. `clock`: for caches that are given no timing of their own. */
export function createCacheMeter(clock?: Clock): CacheMeter {
  const caches = new Set<{ readonly name: string; readonly ref: WeakRef<{ readonly bytes: number }> }>();
  return {
    timing: clock === undefined ? undefined : cacheTiming(clock),
    add: (name, cache) => void caches.add({ name, ref: new WeakRef(cache) }),
    bytes() {
      const sums = new Map<string, number>();
      for (const one of caches) {
        const cache = one.ref.deref();
        if (cache === undefined) caches.delete(one);
        else sums.set(one.name, (sums.get(one.name) ?? 0) + cache.bytes);
      }
      return sums;
    },
  };
}

/** A map with an entry for each of some objects, by their keys. */
export interface KeyedEntries {
  readonly size: number;
  keys(): Iterable<string>;
}

/** Reports what is kept by object. Each process has one, and gives it to whatever keeps something of single objects. */
export type EntryMeter = ReturnType<typeof createEntryMeter>;

/** Without maps. */
export function createEntryMeter() {
  const maps = new Map<string, KeyedEntries[]>();
  const reported = <R>(read: (all: readonly KeyedEntries[]) => R): ReadonlyMap<string, R> =>
    new Map(Array.from(maps, ([name, all]) => [name, read(all)]));
  return {
    /** For as long as the process lives. Maps of one name are reported together. */
    add: (name: string, entries: KeyedEntries) => void getOrAdd(maps, name, () => []).push(entries),
    /** The number of entries, by name. */
    sizes: (): ReadonlyMap<string, number> => reported((all) => all.reduce((sum, { size }) => sum + size, 0)),
    /** The keys of the entries as they are now, by name. */
    keys: (): ReadonlyMap<string, readonly string[]> =>
      reported((all) => all.flatMap((entries) => [...entries.keys()])),
  };
}
