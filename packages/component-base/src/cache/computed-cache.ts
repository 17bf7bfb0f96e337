import { type BoundedCacheOptions, createBoundedCache, detached } from "./bounded-cache.ts";

/**
 * Values computed for strings. A value is reused while its basis is the same object; the least recently used values go
 * first when they exceed the bytes.
 */
export interface ComputedCache<B, V> {
  /** @param make Gets a string of its own; parts of other strings in its result must be detached from them. */
  get(key: string, basis: B, make: (key: string) => V): V;
}

/** The value of a string longer than maxKeyLength is computed each time. */
export type ComputedCacheOptions<V> = Omit<BoundedCacheOptions<V>, "ttlMs">;

const TTL_MS = 600_000;

export function createComputedCache<B, V>(options: ComputedCacheOptions<V>): ComputedCache<B, V> {
  const { sizeOf = () => 0, maxKeyLength = 1024 } = options;
  const known = createBoundedCache<{ readonly basis: B; readonly value: V }>({
    ...options,
    sizeOf: ({ value }) => sizeOf(value),
    ttlMs: TTL_MS,
    // A value never becomes wrong with time.
    isAgeLoose: true,
  });
  return {
    get(key, basis, make) {
      const found = known.get(key);
      if (found !== undefined && found.basis === basis) return found.value;
      if (key.length > maxKeyLength) return make(key);
      const own = detached(key);
      const value = make(own);
      known.set(own, { basis, value });
      return value;
    },
  };
}
