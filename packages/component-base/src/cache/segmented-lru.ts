import { LRUCache } from "lru-cache";

/**
 * A map of two LRU segments, bounded in bytes and entries. While there is space, new entries go to the main segment;
 * then they replace each other in the recent one, until they are read. So a cycle over more keys than fit still finds
 * most of the main segment, where one LRU list finds nothing.
 */
export interface SegmentedLru<V> {
  readonly size: number;
  readonly bytes: number;
  /** Does not count as a use. */
  peek(key: string): V | undefined;
  /** Counts as a use. */
  touch(key: string): void;
  /** Stores nothing that is larger than the bound. */
  set(key: string, value: V, bytes: number): void;
  delete(key: string): void;
  entries(): Iterable<readonly [key: string, value: V]>;
}

/** Of the bytes: what new entries may take from the main segment. */
const RECENT_SHARE = 1 / 4;
/** One in so many evictions from the recent segment takes an entry of the main one instead, so that none stays unread. */
const EVICTIONS_PER_RENEWAL = 16;

export function createSegmentedLru<V extends object>(maxBytes: number, maxEntries: number): SegmentedLru<V> {
  const main = new LRUCache<string, V>({ maxSize: maxBytes });
  const recent = new LRUCache<string, V>({ maxSize: maxBytes });
  let evictions = 0;

  const bytesOf = (): number => main.calculatedSize + recent.calculatedSize;
  const fits = (bytes: number, entries: number): boolean =>
    bytesOf() + bytes <= maxBytes && main.size + recent.size + entries <= maxEntries;

  const promote = (key: string, value: V): void => {
    const before = recent.calculatedSize;
    recent.delete(key);
    main.set(key, value, { size: before - recent.calculatedSize });
  };

  const evict = (): void => {
    if (main.size > 0 && !isFull(recent)) return void main.pop();
    evictions += 1;
    if (evictions % EVICTIONS_PER_RENEWAL !== 0 || main.size === 0) return void recent.pop();
    const [key] = recent.rkeys();
    const value = key === undefined ? undefined : recent.peek(key);
    main.pop();
    if (key !== undefined && value !== undefined) promote(key, value);
  };

  const isFull = ({ size, calculatedSize }: LRUCache<string, V>): boolean =>
    calculatedSize >= maxBytes * RECENT_SHARE || size >= maxEntries * RECENT_SHARE;

  return {
    get size() {
      return main.size + recent.size;
    },
    get bytes() {
      return bytesOf();
    },
    peek: (key) => main.peek(key) ?? recent.peek(key),
    touch(key) {
      if (main.get(key) !== undefined) return;
      const value = recent.peek(key);
      if (value !== undefined) promote(key, value);
    },
    set(key, value, bytes) {
      main.delete(key);
      recent.delete(key);
      if (bytes > maxBytes || maxEntries < 1) return;
      const segment = fits(bytes, 1) ? main : recent;
      while (!fits(bytes, 1)) evict();
      segment.set(key, value, { size: bytes });
    },
    delete(key) {
      main.delete(key);
      recent.delete(key);
    },
    *entries() {
      yield* main.entries();
      yield* recent.entries();
    },
  };
}
