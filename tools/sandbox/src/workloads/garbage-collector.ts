// Deletes what a deleted object owned, as propagation policies say.
import type { Clock } from "@plimsoll/component-base";
import { type ObjectStore, timestamp } from "../storage/object-store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { Dependent, OwnerIndex } from "./owner-index.ts";
import type { Pod } from "./pod.ts";
import type { PodFactory } from "./pod-factory.ts";

const foreground = "foregroundDeletion";
const orphan = "orphan";

export interface GarbageCollector {
  /** An owner is gone: what only it owned goes too. */
  ownerGone(uid: string): void;
  /** An owner waits for its dependents (foreground) or for being forgotten by them (orphan). */
  ownerWaits(resource: string, owner: StoredObject): void;
}

/** True when ownerWaits has something to do. */
export function waitsForDependents(object: StoredObject): boolean {
  if (object.metadata.deletionTimestamp === undefined) return false;
  return object.metadata.finalizers?.some((one) => one === foreground || one === orphan) ?? false;
}

export function createGarbageCollector(options: {
  store: ObjectStore;
  index: OwnerIndex;
  clock: Clock;
  pods: PodFactory;
}): GarbageCollector {
  const remove = ({ resource, object }: Dependent, added: readonly string[] = []): void => {
    if (object.metadata.deletionTimestamp !== undefined) return;
    const finalizers = [...(object.metadata.finalizers ?? []), ...added];
    if (resource === "pods") options.pods.terminate(object as Pod);
    else if (finalizers.length > 0) {
      const deletionTimestamp = timestamp(options.clock.nowMs());
      const metadata = { ...object.metadata, finalizers, deletionTimestamp, deletionGracePeriodSeconds: 0 };
      options.store.update(resource, { ...object, metadata });
    } else options.store.delete(resource, object.metadata.namespace, object.metadata.name);
  };
  const disown = ({ resource, object }: Dependent, uid: string): void => {
    const ownerReferences = (object.metadata.ownerReferences ?? []).filter((one) => one.uid !== uid);
    options.store.update(resource, { ...object, metadata: { ...object.metadata, ownerReferences } });
  };
  const release = (resource: string, owner: StoredObject, finalizer: string): void => {
    const finalizers = (owner.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    options.store.update(resource, { ...owner, metadata: { ...owner.metadata, finalizers } });
  };
  return {
    ownerGone(uid) {
      for (const dependent of options.index.all(uid)) {
        const others = (dependent.object.metadata.ownerReferences ?? []).filter((one) => one.uid !== uid);
        if (others.length > 0) disown(dependent, uid);
        else remove(dependent);
      }
    },
    ownerWaits(resource, owner) {
      const uid = owner.metadata.uid ?? "";
      const dependents = options.index.all(uid);
      if (owner.metadata.finalizers?.includes(orphan) === true) {
        for (const dependent of dependents) disown(dependent, uid);
        release(resource, owner, orphan);
        return;
      }
      for (const dependent of dependents) {
        const ownsMore = options.index.all(dependent.object.metadata.uid ?? "").length > 0;
        remove(dependent, ownsMore ? [foreground] : []);
      }
      if (options.index.all(uid).length === 0) release(resource, owner, foreground);
    },
  };
}
