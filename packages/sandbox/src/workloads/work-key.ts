// Keys of the work queue.
import type { StoredObject } from "../storage/stored-object.ts";

/** A queue entry: the sync of an object, or the deletion of the dependents of a deleted owner. */
export type Work =
  | {
      readonly type: "object";
      readonly resource: string;
      readonly namespace: string | undefined;
      readonly name: string;
    }
  | { readonly type: "ownerGone"; readonly uid: string };

export function objectKey(resource: string, object: StoredObject): string {
  return `object|${resource}|${object.metadata.namespace ?? ""}|${object.metadata.name}`;
}

export function ownerGoneKey(uid: string): string {
  return `ownerGone|${uid}`;
}

export function parseKey(key: string): Work {
  const [type, first = "", namespace = "", name = ""] = key.split("|");
  if (type === "ownerGone") return { type: "ownerGone", uid: first };
  return { type: "object", resource: first, namespace: namespace === "" ? undefined : namespace, name };
}
