// Replaces the contents of a store after a relist.
import type { KubeObject } from "../objects/object.ts";
import { objectKey } from "../objects/object-key.ts";
import type { Change } from "./change.ts";
import type { WritableStore } from "./store.ts";

/** Makes the store hold exactly these objects; returns how it differed, deletions first. */
export function replaceAll<T extends KubeObject>(
  store: WritableStore<T>,
  objects: readonly T[],
): Change<T>[] {
  const wanted = new Set(objects.map((object) => objectKey(object.metadata.namespace, object.metadata.name)));
  const changes: Change<T>[] = [];
  for (const object of store.list()) {
    const { namespace, name } = object.metadata;
    if (wanted.has(objectKey(namespace, name))) continue;
    store.delete(namespace, name);
    changes.push({ type: "deleted", object, previous: object });
  }
  for (const object of objects) changes.push(...putOne(store, object));
  return changes;
}

/** Puts the object into the store; an object of the same name but another identity has been deleted in between. */
export function putOne<T extends KubeObject>(store: WritableStore<T>, object: T): Change<T>[] {
  const { namespace, name, uid, resourceVersion } = object.metadata;
  const previous = store.get(namespace, name);
  if (previous === undefined) {
    store.set(object);
    return [{ type: "added", object }];
  }
  const isSame = previous.metadata.uid === uid;
  if (isSame && resourceVersion !== undefined && previous.metadata.resourceVersion === resourceVersion)
    return [];
  store.set(object);
  if (isSame) return [{ type: "modified", object, previous }];
  return [
    { type: "deleted", object: previous, previous },
    { type: "added", object },
  ];
}
