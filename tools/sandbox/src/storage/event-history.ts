// The history of changes that watches read.
import type { StoredObject } from "./stored-object.ts";

/** One change, in the order of `version`. `previous` is what the object was before, if it was. */
export interface StoreEvent {
  readonly resource: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: StoredObject;
  readonly previous?: StoredObject;
  readonly version: number;
}

/** The last changes, bounded, so that a watch can resume; what is older is gone. */
export interface EventHistory {
  push(event: StoreEvent): void;
  /** Changes of a resource after a version; undefined when some of them are already forgotten. */
  since(resource: string, version: number): readonly StoreEvent[] | undefined;
  /** Forget everything up to and including a version. */
  compact(upToVersion: number): void;
  /** Forget everything, because the version is set back to this one. */
  restart(version: number): void;
}

export function createEventHistory(limit: number): EventHistory {
  let events: StoreEvent[] = [];
  let forgottenUpTo = 0;
  const drop = (count: number): void => {
    const last = events[count - 1];
    if (last === undefined) return;
    forgottenUpTo = Math.max(forgottenUpTo, last.version);
    events = events.slice(count);
  };
  return {
    push(event) {
      events.push(event);
      // Dropping in batches keeps a write O(1) on average.
      if (events.length > limit * 1.25) drop(events.length - limit);
    },
    since(resource, version) {
      if (version < forgottenUpTo) return undefined;
      return events.slice(firstAfter(events, version)).filter((event) => event.resource === resource);
    },
    compact(upToVersion) {
      drop(firstAfter(events, upToVersion));
      forgottenUpTo = Math.max(forgottenUpTo, upToVersion);
    },
    restart(version) {
      events = [];
      forgottenUpTo = version;
    },
  };
}

function firstAfter(events: readonly StoreEvent[], version: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.version ?? 0) <= version) low = middle + 1;
    else high = middle;
  }
  return low;
}
