/** How many days and spans of calendars the objects may keep together. */
export interface CalendarRoom {
  readonly kept: number;
  /** Whether so many more of an object fit under the limit. `onRevoked`: an object of another namespace took them. */
  take(owner: string, count: number, onRevoked: () => void): boolean;
  /** The object keeps nothing any more. */
  free(owner: string): void;
}

/** Of all objects: 64 MB at 16 bytes each. */
export const maxKept = 4_000_000;

interface Kept {
  readonly count: number;
  readonly onRevoked: () => void;
}

interface Space {
  count: number;
  readonly owners: Map<string, Kept>;
}

/** Below the limit every object gets what it needs; above it the namespaces with the largest shares are cut. */
export function createCalendarRoom(most = maxKept): CalendarRoom {
  const spaces = new Map<string, Space>();
  let kept = 0;
  return {
    get kept() {
      return kept;
    },
    take(owner, count, onRevoked) {
      const name = spaceOf(owner);
      while (kept + count > most) {
        const largest = largestSpace();
        const own = spaces.get(name)?.count ?? 0;
        if (largest === undefined || largest.count <= own + count) return false;
        const [last] = [...largest.owners].slice(-1);
        if (last === undefined) return false;
        free(last[0]);
        last[1].onRevoked();
      }
      const space = spaces.get(name) ?? { count: 0, owners: new Map<string, Kept>() };
      const before = space.owners.get(owner)?.count ?? 0;
      space.owners.set(owner, { count: before + count, onRevoked });
      space.count += count;
      spaces.set(name, space);
      kept += count;
      return true;
    },
    free,
  };

  function free(owner: string): void {
    const name = spaceOf(owner);
    const space = spaces.get(name);
    const count = space?.owners.get(owner)?.count;
    if (space === undefined || count === undefined) return;
    space.owners.delete(owner);
    space.count -= count;
    kept -= count;
    if (space.owners.size === 0) spaces.delete(name);
  }

  function largestSpace(): Space | undefined {
    let largest: Space | undefined;
    for (const space of spaces.values()) if (space.count > (largest?.count ?? 0)) largest = space;
    return largest;
  }
}

/** The namespace of an object's key. */
export function spaceOf(owner: string): string {
  return owner.split("/", 1)[0] ?? "";
}
