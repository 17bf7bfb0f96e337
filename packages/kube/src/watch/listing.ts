// Gathers the objects of a list, within the limits of their namespaces.
import { getOrAdd } from "@plimsoll/component-base";
import type { KubeObject } from "../objects/object.ts";
import { crowded, hasRoom, type LeftOut } from "./left-out.ts";
import type { Kept, KeptObject } from "./object-reader.ts";
import type { ListedObjects } from "./replace-all.ts";
import { retainedBytes } from "./retained-bytes.ts";
import { createRooms, type RoomLimits, type Rooms } from "./room.ts";

/** The objects of a list that is being read. */
export interface Listing<T> {
  add(kept: Kept<T>): void;
  /** All that fit, by namespace and name. */
  readonly objects: ListedObjects<T>;
  /** The store holds them now. */
  commit(): void;
}

/** What a list has shown. */
export interface Listed {
  readonly rooms: Rooms;
  readonly leftOut: readonly LeftOut[];
}

export function createListing<T extends KubeObject>(
  limits: RoomLimits,
  onCommit: (listed: Listed) => void,
): Listing<T> {
  const rooms = createRooms(limits);
  const shelves = new Map<string, Map<string, T>>();
  const leftOut: LeftOut[] = [];
  const leftOutIn = new Map<string, number>();

  function leave(one: LeftOut): void {
    const { namespace = "" } = one;
    const others = leftOutIn.get(namespace) ?? 0;
    if (!hasRoom(leftOut.length, others)) return;
    leftOutIn.set(namespace, others + 1);
    leftOut.push(one);
  }

  function add({ object, bytes }: KeptObject<T>): void {
    const { namespace = "", name } = object.metadata;
    const shelf = getOrAdd(shelves, namespace, () => new Map<string, T>());
    const twin = shelf.get(name);
    if (twin !== undefined) rooms.remove(namespace, name, retainedBytes(twin));
    shelf.set(name, object);
    for (const gone of rooms.add(namespace, { name, bytes }, sizes)) {
      const from = shelves.get(gone.namespace);
      leave(crowded(gone, retainedBytes(from?.get(gone.name))));
      from?.delete(gone.name);
    }
  }

  function* sizes(namespace: string) {
    for (const [name, object] of shelves.get(namespace) ?? []) yield [name, retainedBytes(object)] as const;
  }

  return {
    add(kept) {
      if ("leftOut" in kept) leave(kept.leftOut);
      else add(kept);
    },
    objects: shelves,
    commit: () => onCommit({ rooms, leftOut }),
  };
}
