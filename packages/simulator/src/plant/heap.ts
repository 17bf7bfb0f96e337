// What happens when: a heap of instants.
import { createHeap } from "@plimsoll/core/internal/values";

/** Something that happens at an instant. */
export interface Timed {
  readonly atMs: number;
}

/** The earliest first; of equal instants the one that was added first. */
export interface TimedHeap<T extends Timed> {
  /** Infinity where nothing is left. */
  readonly nextMs: number;
  add(item: T): void;
  take(): T | undefined;
}

/** An empty heap. */
export function createTimedHeap<T extends Timed>(): TimedHeap<T> {
  let added = 0;
  const heap = createHeap<{ readonly item: T; readonly order: number }>(
    (one, other) =>
      one.item.atMs < other.item.atMs || (one.item.atMs === other.item.atMs && one.order < other.order),
  );
  return {
    get nextMs() {
      return heap.first?.item.atMs ?? Infinity;
    },
    add: (item) => heap.add({ item, order: added++ }),
    take: () => heap.take()?.item,
  };
}
