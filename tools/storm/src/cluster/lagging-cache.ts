// The watch cache of an API server, which may be behind the store.
import type { StoredObject, StoreEvent, VersionedStore, WatchCache } from "@plimsoll/sandbox";
import type { VirtualTime } from "../time/virtual-time.ts";

export interface LaggingCache extends WatchCache {
  /** How late it learns of changes; undefined: at once, also of those that it waits for. */
  setLag(lagMs: number | undefined): void;
  /** Takes the store as it is: an API server starts so. */
  reset(): void;
}

interface Late {
  readonly event: StoreEvent;
  readonly atMs: number;
}

/** Without a lag it is the store. With one, changes that are not due yet are taken off what the store has. */
export function createLaggingCache(store: VersionedStore, time: VirtualTime): LaggingCache {
  const listeners = new Set<(event: StoreEvent) => void>();
  const late: Late[] = [];
  let lagMs: number | undefined;

  function deliver(event: StoreEvent): void {
    for (const listener of Array.from(listeners)) listener(event);
  }

  function deliverDue(): void {
    const untilMs = lagMs === undefined ? Number.POSITIVE_INFINITY : time.nowMs;
    for (let next = late[0]; next !== undefined && next.atMs <= untilMs; next = late[0]) {
      late.shift();
      deliver(next.event);
    }
  }

  store.subscribe((event) => {
    if (lagMs === undefined) {
      deliver(event);
      return;
    }
    // In order, also when the lag has become shorter.
    const atMs = Math.max(time.nowMs + lagMs, late.at(-1)?.atMs ?? 0);
    late.push({ event, atMs });
    time.after(atMs - time.nowMs, deliverDue);
  });

  /** The objects of a resource that the cache has otherwise than the store, by their keys. */
  function before(resource: string): ReadonlyMap<string, StoredObject | undefined> {
    const objects = new Map<string, StoredObject | undefined>();
    for (const { event } of late) {
      const { namespace, name } = event.object.metadata;
      const key = keyOf(namespace, name);
      if (event.resource === resource && !objects.has(key)) objects.set(key, event.previous);
    }
    return objects;
  }

  const versionNow = (): number => (late[0] === undefined ? store.version : late[0].event.version - 1);

  return {
    get version() {
      return versionNow();
    },
    get(resource, namespace, name) {
      const key = keyOf(namespace, name);
      const known = late.length === 0 ? undefined : before(resource);
      return known?.has(key) === true ? known.get(key) : store.get(resource, namespace, name);
    },
    list(resource, namespace) {
      const current = store.list(resource, namespace);
      if (late.length === 0) return current;
      const objects = new Map(
        current.map((object) => [keyOf(object.metadata.namespace, object.metadata.name), object]),
      );
      for (const [key, object] of before(resource)) {
        if (object === undefined) objects.delete(key);
        else if (namespace === undefined || object.metadata.namespace === namespace) objects.set(key, object);
      }
      return [...objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    },
    eventsSince(resource, version) {
      const events = store.eventsSince(resource, version);
      const known = versionNow();
      return late.length === 0 ? events : events?.filter((event) => event.version <= known);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    setLag(next) {
      lagMs = next;
      deliverDue();
    },
    reset() {
      late.length = 0;
    },
  };
}

function keyOf(namespace: string | undefined, name: string): string {
  return `${namespace ?? ""}/${name}`;
}
