// Limits what the objects of each namespace, and of all namespaces, take together.
import { getOrAdd } from "@plimsoll/component-base";
import { createKeyHeap } from "../controller/key-heap.ts";

/** What objects may take together. */
export interface RoomLimits {
  /** All objects of a namespace; the largest ones have to go when they take more. */
  readonly maxNamespaceBytes: number;
  /** Those of all namespaces; the largest ones of the namespace that takes most have to go when they take more. */
  readonly maxTotalBytes: number;
}

/** An object that has to go. */
export interface Gone {
  readonly namespace: string;
  readonly name: string;
  /** What all objects of its namespace, or of all namespaces, may take. */
  readonly maxBytes: number;
  readonly isTotal: boolean;
}

/** Every name of a namespace with its bytes, the one that is added included. */
type Sizes = (namespace: string) => Iterable<readonly [name: string, bytes: number]>;

/** What the objects take, and which of them have to go when that is too much. */
export interface Rooms {
  /** Adds an object; returns those that have to go, it may be one of them. */
  add(
    namespace: string,
    object: { readonly name: string; readonly bytes: number },
    sizes: Sizes,
  ): readonly Gone[];
  /** Returns where objects that had to go may fit now: in the namespace, or in any. */
  remove(namespace: string, name: string, bytes: number): "namespace" | "any" | undefined;
  readonly bytes: number;
  bytesIn(namespace: string): number;
}

const none: readonly Gone[] = [];

export function createRooms({ maxNamespaceBytes, maxTotalBytes }: RoomLimits): Rooms {
  const rooms = new Map<string, Room>();
  let total = 0;
  let wasFull = false;

  const fullest = (): readonly [namespace: string, room: Room] | undefined => {
    let most: readonly [string, Room] | undefined;
    for (const one of rooms) if (one[1].bytes > (most?.[1].bytes ?? 0)) most = one;
    return most;
  };

  return {
    get bytes() {
      return total;
    },
    bytesIn: (namespace) => rooms.get(namespace)?.bytes ?? 0,
    add(namespace, { name, bytes }, sizes) {
      const room = getOrAdd(rooms, namespace, createRoom);
      room.add(name, bytes);
      total += bytes;
      if (room.bytes <= maxNamespaceBytes && total <= maxTotalBytes) return none;
      const gone: Gone[] = [];
      const drop = (of: string, from: Room, limit: Pick<Gone, "maxBytes" | "isTotal">): void => {
        const before = from.bytes;
        gone.push({ namespace: of, name: from.dropLargest(() => sizes(of)), ...limit });
        total -= before - from.bytes;
        if (from.bytes === 0) rooms.delete(of);
      };
      while (room.bytes > maxNamespaceBytes)
        drop(namespace, room, { maxBytes: maxNamespaceBytes, isTotal: false });
      for (let most = fullestOver(); most !== undefined; most = fullestOver()) {
        wasFull = true;
        drop(...most, { maxBytes: maxTotalBytes, isTotal: true });
      }
      return gone;
    },
    remove(namespace, name, bytes) {
      const room = rooms.get(namespace);
      room?.remove(name, bytes, maxNamespaceBytes / 2);
      total -= bytes;
      if (room === undefined || room.bytes <= 0) rooms.delete(namespace);
      if (wasFull) return total <= maxTotalBytes / 2 ? "any" : undefined;
      return (room?.bytes ?? 0) <= maxNamespaceBytes / 2 ? "namespace" : undefined;
    },
  };

  function fullestOver(): readonly [namespace: string, room: Room] | undefined {
    return total > maxTotalBytes ? fullest() : undefined;
  }
}

type Room = ReturnType<typeof createRoom>;

function createRoom() {
  let sum = 0;
  /** By size, the largest first; only of a namespace that was full once. */
  let bySize: ReturnType<typeof createKeyHeap> | undefined;
  return {
    get bytes() {
      return sum;
    },
    add(name: string, bytes: number): void {
      sum += bytes;
      bySize?.set(name, -bytes);
    },
    /** Of objects that take something together. */
    dropLargest(all: () => ReturnType<Sizes>): string {
      if (bySize === undefined) {
        bySize = createKeyHeap();
        for (const [one, size] of all()) bySize.set(one, -size);
      }
      const { first } = bySize;
      if (first === undefined) throw new Error("a namespace without objects takes memory");
      sum += first.rank;
      bySize.delete(first.key);
      return first.key;
    },
    /** The order by size is forgotten once no more than `fewBytes` are left. */
    remove(name: string, bytes: number, fewBytes: number): void {
      sum -= bytes;
      if (sum > fewBytes) bySize?.delete(name);
      else bySize = undefined;
    },
  };
}
