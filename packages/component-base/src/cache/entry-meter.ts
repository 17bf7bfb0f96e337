// Reports of which objects the maps of a process have entries.
import { getOrAdd } from "./get-or-add.ts";

/** A map with an entry for each of some objects, by their keys. */
export interface KeyedEntries {
  readonly size: number;
  keys(): Iterable<string>;
}

/** Reports what is kept by object. Each process has one, and gives it to whatever keeps something of single objects. */
export interface EntryMeter {
  /** For as long as the process lives. Maps of one name are reported together. */
  add(name: string, entries: KeyedEntries): void;
  /** The number of entries, by name. */
  sizes(): ReadonlyMap<string, number>;
  /** The keys of the entries as they are now, by name. */
  keys(): ReadonlyMap<string, readonly string[]>;
}

/** Without maps. */
export function createEntryMeter(): EntryMeter {
  const maps = new Map<string, KeyedEntries[]>();
  const reported = <R>(read: (all: readonly KeyedEntries[]) => R): ReadonlyMap<string, R> =>
    new Map(Array.from(maps, ([name, all]) => [name, read(all)]));
  return {
    add: (name, entries) => void getOrAdd(maps, name, () => []).push(entries),
    sizes: () => reported((all) => all.reduce((sum, { size }) => sum + size, 0)),
    keys: () => reported((all) => all.flatMap((entries) => [...entries.keys()])),
  };
}
