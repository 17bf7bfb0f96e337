import type { Change } from "@plimsoll/kube";
import type { Watch } from "../../src/informers/watch.ts";
import type { ScalingObject } from "../../src/objects/scaling-object.ts";

/** A watch of one namespace in memory. */
export function fakeWatch() {
  const objects = new Map<string, ScalingObject>();
  const listeners: ((change: Change<ScalingObject>) => void)[] = [];
  const watch: Watch<ScalingObject> = {
    isSynced: true,
    isSyncedIn: () => true,
    leftOut: () => [],
    isSettled: true,
    lastContactMs: 0,
    failure: undefined,
    get: (_, name) => objects.get(name),
    list: () => [...objects.values()],
    start: () => {},
    stop: () => Promise.resolve(),
    synced: () => Promise.resolve(),
    settled: () => Promise.resolve(),
    subscribe: (listener) => void listeners.push(listener),
  };
  const notify = (change: Change<ScalingObject>): void => {
    for (const listener of listeners) listener(change);
  };
  return {
    watch,
    /** Adds an object, or changes it. */
    set(object: ScalingObject): void {
      const previous = objects.get(object.metadata.name);
      objects.set(object.metadata.name, object);
      notify(previous === undefined ? { type: "added", object } : { type: "modified", object, previous });
    },
    remove(object: ScalingObject): void {
      objects.delete(object.metadata.name);
      notify({ type: "deleted", object, previous: object });
    },
  };
}
