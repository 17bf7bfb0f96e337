/** A key and its rank, such as an instant. */
interface Entry {
  readonly key: string;
  rank: number;
  /** Where it is in the heap. */
  index: number;
}

/** A rank for each key, in a binary heap: the lowest is found at once, a change costs O(log n). */
export function createKeyHeap() {
  const entries = new Map<string, Entry>();
  /** No entry ranks below its parent. */
  const heap: Entry[] = [];
  return {
    get size() {
      return heap.length;
    },
    keys: (): Iterable<string> => entries.keys(),
    get first(): Readonly<Entry> | undefined {
      return heap[0];
    },
    /** Replaces the rank of the key. */
    set(key: string, rank: number): void {
      const known = entries.get(key);
      const entry = known ?? { key, rank, index: heap.length };
      entry.rank = rank;
      if (known === undefined) {
        entries.set(key, entry);
        heap.push(entry);
      }
      sift(heap, entry);
    },
    delete(key: string): void {
      const entry = entries.get(key);
      if (entry === undefined) return;
      entries.delete(key);
      const last = heap.pop();
      if (last === undefined || last === entry) return;
      put(heap, last, entry.index);
      sift(heap, last);
    },
  };
}

/** Moves the entry up or down to where it belongs. */
function sift(heap: Entry[], entry: Entry): void {
  for (let other = laterParent(heap, entry); other !== undefined; other = laterParent(heap, entry))
    swap(heap, entry, other);
  for (let other = earlierChild(heap, entry); other !== undefined; other = earlierChild(heap, entry))
    swap(heap, entry, other);
}

function laterParent(heap: readonly Entry[], { index, rank }: Entry): Entry | undefined {
  const parent = index === 0 ? undefined : heap[(index - 1) >> 1];
  return parent !== undefined && parent.rank > rank ? parent : undefined;
}

function earlierChild(heap: readonly Entry[], { index, rank }: Entry): Entry | undefined {
  const left = heap[2 * index + 1];
  const right = heap[2 * index + 2];
  const child = left !== undefined && right !== undefined && right.rank < left.rank ? right : left;
  return child !== undefined && child.rank < rank ? child : undefined;
}

function swap(heap: Entry[], one: Entry, other: Entry): void {
  const { index } = one;
  put(heap, one, other.index);
  put(heap, other, index);
}

function put(heap: Entry[], entry: Entry, index: number): void {
  entry.index = index;
  heap[index] = entry;
}
