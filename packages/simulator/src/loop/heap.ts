// What happens when: a binary heap of instants.

/** Something that happens at an instant. */
export interface Timed {
  readonly atMs: number;
}

/** The earliest first; of equal instants the one that was added first. */
export interface Heap<T extends Timed> {
  /** Infinity where nothing is left. */
  readonly nextMs: number;
  add(item: T): void;
  take(): T | undefined;
}

/** An empty heap. */
export function createHeap<T extends Timed>(): Heap<T> {
  const items: { readonly item: T; readonly order: number }[] = [];
  let added = 0;
  const isBefore = (a: number, b: number): boolean => {
    const [one, other] = [items[a], items[b]];
    if (one === undefined || other === undefined) return false;
    return one.item.atMs < other.item.atMs || (one.item.atMs === other.item.atMs && one.order < other.order);
  };
  const swap = (a: number, b: number): void => {
    const [one, other] = [items[a], items[b]];
    if (one === undefined || other === undefined) return;
    items[a] = other;
    items[b] = one;
  };
  return {
    get nextMs() {
      return items[0]?.item.atMs ?? Infinity;
    },
    add(item) {
      items.push({ item, order: added++ });
      for (let at = items.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (!isBefore(at, parent)) return;
        swap(at, parent);
        at = parent;
      }
    },
    take() {
      const first = items[0];
      const last = items.pop();
      if (first === undefined || last === undefined || items.length === 0) return first?.item;
      items[0] = last;
      for (let at = 0; ; ) {
        const left = 2 * at + 1;
        const earlier = isBefore(left + 1, left) ? left + 1 : left;
        if (!isBefore(earlier, at)) return first.item;
        swap(at, earlier);
        at = earlier;
      }
    },
  };
}
