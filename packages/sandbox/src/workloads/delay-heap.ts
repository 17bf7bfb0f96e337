// A heap of keys by the time at which they are due.
export interface Delayed {
  readonly atMs: number;
  readonly key: string;
}

/** Keys by the instant at which they are due, earliest first. */
export interface DelayHeap {
  readonly size: number;
  push(entry: Delayed): void;
  peek(): Delayed | undefined;
  pop(): Delayed | undefined;
}

export function createDelayHeap(): DelayHeap {
  const entries: Delayed[] = [];
  const at = (index: number): number => entries[index]?.atMs ?? Number.POSITIVE_INFINITY;
  const swap = (a: number, b: number): void => {
    const left = entries[a];
    const right = entries[b];
    if (left === undefined || right === undefined) return;
    entries[a] = right;
    entries[b] = left;
  };
  const sinkRoot = (): void => {
    let index = 0;
    for (;;) {
      const left = 2 * index + 1;
      const child = at(left + 1) < at(left) ? left + 1 : left;
      if (at(child) >= at(index)) return;
      swap(index, child);
      index = child;
    }
  };
  return {
    get size() {
      return entries.length;
    },
    push(entry) {
      let index = entries.push(entry) - 1;
      while (index > 0) {
        const parent = (index - 1) >> 1;
        if (at(parent) <= at(index)) return;
        swap(index, parent);
        index = parent;
      }
    },
    peek: () => entries[0],
    pop() {
      const first = entries[0];
      const last = entries.pop();
      if (first === undefined || last === undefined || entries.length === 0) return first;
      entries[0] = last;
      sinkRoot();
      return first;
    },
  };
}
