// Keeps a store within its limits, whatever lists and watches show.
import type { KubeObject } from "../objects/object.ts";
import type { Change } from "./change.ts";
import { createLeftOutSet, crowded, type LeftOut, type LeftOutSet } from "./left-out.ts";
import { createListing, type Listing } from "./listing.ts";
import { createObjectReader, type Kept, type KeptObject, type ObjectReader } from "./object-reader.ts";
import { isUnchanged, putOne } from "./replace-all.ts";
import { retainedBytes } from "./retained-bytes.ts";
import { createRooms, type RoomLimits, type Rooms } from "./room.ts";
import type { WritableStore } from "./store.ts";

/** What an object may take. */
export interface ObjectLimits extends RoomLimits {
  /** On the wire: a larger one is not read. */
  readonly maxItemBytes: number;
  /** In memory, once it is trimmed. */
  readonly maxObjectBytes: number;
}

export interface KeeperOptions<T extends KubeObject> extends ObjectLimits {
  readonly project: (raw: KubeObject) => T;
  readonly store: WritableStore<T>;
  readonly onLeftOut: (one: LeftOut) => void;
}

export interface Keeper<T extends KubeObject> extends ObjectReader<T> {
  readonly leftOut: readonly LeftOut[];
  leftOutIn(namespace: string): readonly LeftOut[];
  /** Whether only a list shows what should be in the store; false again once one was committed. */
  readonly needsList: boolean;
  /** Puts an object that a watch shows into the store, or removes its last state from there when it is left out. */
  put(kept: Kept<T>): readonly Change<T>[];
  /** A watch shows that an object is gone. */
  remove(namespace: string | undefined, name: string, last?: T): readonly Change<T>[];
  beginList(): Listing<T>;
}

interface State<T extends KubeObject> extends Pick<KeeperOptions<T>, "store"> {
  readonly leftOut: LeftOutSet;
  rooms: Rooms;
  needsList: boolean;
}

export function createKeeper<T extends KubeObject>(options: KeeperOptions<T>): Keeper<T> {
  const { store } = options;
  const leftOut = createLeftOutSet(options.onLeftOut);
  const state: State<T> = { store, leftOut, rooms: createRooms(options), needsList: false };
  return {
    get leftOut() {
      return leftOut.list();
    },
    leftOutIn: leftOut.listIn,
    get needsList() {
      return state.needsList;
    },
    ...createObjectReader(options),
    put: (kept) => ("leftOut" in kept ? leave(state, kept.leftOut) : put(state, kept)),
    remove(namespace, name, last) {
      leftOut.delete(namespace ?? "", name);
      const previous = take(state, namespace, name);
      return previous === undefined ? [] : [{ type: "deleted", object: last ?? previous, previous }];
    },
    beginList: () =>
      createListing<T>(options, (listed) => {
        state.rooms = listed.rooms;
        state.needsList = false;
        leftOut.replace(listed.leftOut);
      }),
  };
}

/** Removes an object from the store. */
function take<T extends KubeObject>(
  state: State<T>,
  namespace: string | undefined,
  name: string,
): T | undefined {
  const previous = state.store.delete(namespace, name);
  if (previous !== undefined) free(state, previous);
  return previous;
}

/** What an object took is free for others. */
function free<T extends KubeObject>(state: State<T>, previous: T): void {
  const { namespace = "", name } = previous.metadata;
  const room = state.rooms.remove(namespace, name, retainedBytes(previous));
  if (room === "any" || (room === "namespace" && state.leftOut.isCrowded(namespace))) state.needsList = true;
}

/** Removes what is left out from the store. */
function leave<T extends KubeObject>(state: State<T>, one: LeftOut): readonly Change<T>[] {
  const { namespace, name } = one;
  state.leftOut.add(one);
  // It may be any object of the store.
  if (name === undefined) state.needsList = true;
  const previous = name === undefined ? undefined : take(state, namespace, name);
  return previous === undefined ? [] : [deleted(previous)];
}

function put<T extends KubeObject>(state: State<T>, { object, bytes }: KeptObject<T>): readonly Change<T>[] {
  const { store, leftOut } = state;
  const { namespace = "", name } = object.metadata;
  const previous = store.get(namespace, name);
  if (previous !== undefined) {
    if (isUnchanged(previous, object)) return [];
    free(state, previous);
  }
  const sizes = function* (of: string) {
    for (const one of store.list(of))
      if (one !== previous) yield [one.metadata.name, retainedBytes(one)] as const;
    if (of === namespace) yield [name, bytes] as const;
  };
  const changes: Change<T>[] = [];
  let isGone = false;
  for (const gone of state.rooms.add(namespace, { name, bytes }, sizes)) {
    const isThis = gone.namespace === namespace && gone.name === name;
    isGone ||= isThis;
    const last = store.delete(gone.namespace, gone.name);
    if (last !== undefined) changes.push(deleted(last));
    leftOut.add(crowded(gone, isThis || last === undefined ? bytes : retainedBytes(last)));
  }
  if (isGone) return changes;
  leftOut.delete(namespace, name);
  return [...changes, ...putOne(store, object)];
}

function deleted<T>(previous: T): Change<T> {
  return { type: "deleted", object: previous, previous };
}
