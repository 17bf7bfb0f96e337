import type { StoreEvent } from "../storage/event-history.ts";
import type { StoredObject } from "../storage/stored-object.ts";

export interface Dependent {
  readonly resource: string;
  readonly object: StoredObject;
}

/** Objects by the uid of each of their owners, kept up to date by one look at each event. */
export interface OwnerIndex {
  apply(event: Pick<StoreEvent, "resource" | "type" | "object" | "previous">): void;
  /** The owned objects of one resource, in the order in which they came. */
  dependents(ownerUid: string | undefined, resource: string): readonly StoredObject[];
  all(ownerUid: string): readonly Dependent[];
}

export function createOwnerIndex(): OwnerIndex {
  const byOwner = new Map<string, Map<string, Map<string, StoredObject>>>();

  const add = (ownerUid: string, resource: string, object: StoredObject): void => {
    let byResource = byOwner.get(ownerUid);
    if (byResource === undefined) byOwner.set(ownerUid, (byResource = new Map()));
    let objects = byResource.get(resource);
    if (objects === undefined) byResource.set(resource, (objects = new Map()));
    objects.set(keyOf(object), object);
  };
  const remove = (ownerUid: string, resource: string, object: StoredObject): void => {
    const byResource = byOwner.get(ownerUid);
    const objects = byResource?.get(resource);
    objects?.delete(keyOf(object));
    if (objects?.size === 0) byResource?.delete(resource);
    if (byResource?.size === 0) byOwner.delete(ownerUid);
  };

  return {
    apply({ resource, type, object, previous }) {
      const owners = type === "DELETED" ? [] : ownerUids(object);
      for (const uid of ownerUids(previous ?? object)) {
        if (!owners.includes(uid)) remove(uid, resource, object);
      }
      for (const uid of owners) add(uid, resource, object);
    },
    dependents: (ownerUid, resource) => [
      ...(byOwner
        .get(ownerUid ?? "")
        ?.get(resource)
        ?.values() ?? []),
    ],
    all: (ownerUid) =>
      [...(byOwner.get(ownerUid) ?? [])].flatMap(([resource, objects]) =>
        [...objects.values()].map((object) => ({ resource, object })),
      ),
  };
}

function ownerUids(object: StoredObject): readonly string[] {
  return (object.metadata.ownerReferences ?? []).map((reference) => reference.uid);
}

function keyOf(object: StoredObject): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name}`;
}
