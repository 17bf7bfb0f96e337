// A binary heap.

/** Finds the first item at once; adding and taking one costs O(log n). */
export interface Heap<T> {
  readonly size: number;
  readonly first: T | undefined;
  add(item: T): void;
  take(): T | undefined;
}

/** An empty heap. */
export function createHeap<T>(isBefore: (one: T, other: T) => boolean): Heap<T> {
  const items: T[] = [];
  const isEarlier = (a: number, b: number): boolean =>
    a < items.length && isBefore(items[a] as T, items[b] as T);
  const swap = (a: number, b: number): void => {
    const item = items[a] as T;
    items[a] = items[b] as T;
    items[b] = item;
  };
  return {
    get size() {
      return items.length;
    },
    get first() {
      return items[0];
    },
    add(item) {
      for (let at = items.push(item) - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (!isEarlier(at, parent)) return;
        swap(at, parent);
        at = parent;
      }
    },
    take() {
      const [first] = items;
      const last = items.pop();
      if (last === undefined || items.length === 0) return first;
      items[0] = last;
      for (let at = 0; ; ) {
        const left = 2 * at + 1;
        const child = isEarlier(left + 1, left) ? left + 1 : left;
        if (!isEarlier(child, at)) return first;
        swap(child, at);
        at = child;
      }
    },
  };
}
