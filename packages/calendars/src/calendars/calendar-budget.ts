// Limits how many days and spans of calendars all objects keep in memory, with a fair share for each namespace.
import type { KeyedEntries } from "@plimsoll/component-base";

/** How many days and spans of calendars the objects may keep together. */
export interface CalendarBudget {
  readonly kept: number;
  /** Whether so many more of an object fit under the limit. `onRevoked`: an object of another namespace took them. */
  take(owner: string, count: number, onRevoked: () => void): boolean;
  /** The object keeps nothing any more. */
  release(owner: string): void;
  /** The owners that keep some. */
  readonly entries: KeyedEntries;
}

/** Of all objects: 64 MB at 16 bytes each. */
export const maxKept = 4_000_000;

interface Kept {
  readonly count: number;
  readonly onRevoked: () => void;
}

interface NamespaceShare {
  count: number;
  readonly owners: Map<string, Kept>;
}

/** Below the limit every object gets what it needs; above it the namespaces with the largest shares are cut. */
export function createCalendarBudget(max = maxKept): CalendarBudget {
  const namespaces = new Map<string, NamespaceShare>();
  let kept = 0;
  return {
    get kept() {
      return kept;
    },
    take(owner, count, onRevoked) {
      const name = namespaceOf(owner);
      while (kept + count > max) {
        const largest = largestShare();
        const own = namespaces.get(name)?.count ?? 0;
        if (largest === undefined || largest.count <= own + count) return false;
        const [last] = [...largest.owners].slice(-1);
        if (last === undefined) return false;
        release(last[0]);
        last[1].onRevoked();
      }
      const namespace = namespaces.get(name) ?? { count: 0, owners: new Map<string, Kept>() };
      const before = namespace.owners.get(owner)?.count ?? 0;
      namespace.owners.set(owner, { count: before + count, onRevoked });
      namespace.count += count;
      namespaces.set(name, namespace);
      kept += count;
      return true;
    },
    release,
    entries: {
      get size() {
        let sum = 0;
        for (const { owners } of namespaces.values()) sum += owners.size;
        return sum;
      },
      *keys() {
        for (const { owners } of namespaces.values()) yield* owners.keys();
      },
    },
  };

  function release(owner: string): void {
    const name = namespaceOf(owner);
    const namespace = namespaces.get(name);
    const count = namespace?.owners.get(owner)?.count;
    if (namespace === undefined || count === undefined) return;
    namespace.owners.delete(owner);
    namespace.count -= count;
    kept -= count;
    if (namespace.owners.size === 0) namespaces.delete(name);
  }

  function largestShare(): NamespaceShare | undefined {
    let largest: NamespaceShare | undefined;
    for (const namespace of namespaces.values())
      if (namespace.count > (largest?.count ?? 0)) largest = namespace;
    return largest;
  }
}

/** The namespace of an object's key. */
export function namespaceOf(owner: string): string {
  return owner.split("/", 1)[0] ?? "";
}
