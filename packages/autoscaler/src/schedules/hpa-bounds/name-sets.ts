// A map of key to set of names.
import type { KeyedEntries } from "@plimsoll/component-base";

/** Sets of names by key; an empty set takes no space. */
export interface NameSets extends KeyedEntries {
  set(key: string, name: string, isIn: boolean): void;
  has(key: string): boolean;
  of(key: string): readonly string[];
}

export function createNameSets(): NameSets {
  const sets = new Map<string, Set<string>>();
  return {
    set(key, name, isIn) {
      const names = sets.get(key);
      if (isIn) sets.set(key, (names ?? new Set()).add(name));
      else if (names?.delete(name) === true && names.size === 0) sets.delete(key);
    },
    has: (key) => sets.has(key),
    of: (key) => [...(sets.get(key) ?? [])],
    get size() {
      return sets.size;
    },
    keys: () => sets.keys(),
  };
}
