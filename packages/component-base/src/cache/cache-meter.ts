/** Reports the memory of caches. Each process has one, and gives it to the caches that are to be watched. */
export interface CacheMeter {
  /** A cache that is gone counts no more. */
  add(name: string, cache: { readonly bytes: number }): void;
  /** What the caches of each name take together, in bytes as they count them. */
  bytes(): ReadonlyMap<string, number>;
}

/** Without caches. */
export function createCacheMeter(): CacheMeter {
  const caches = new Set<{ readonly name: string; readonly ref: WeakRef<{ readonly bytes: number }> }>();
  return {
    add: (name, cache) => void caches.add({ name, ref: new WeakRef(cache) }),
    bytes() {
      const sums = new Map<string, number>();
      for (const one of caches) {
        const cache = one.ref.deref();
        if (cache === undefined) caches.delete(one);
        else sums.set(one.name, (sums.get(one.name) ?? 0) + cache.bytes);
      }
      return sums;
    },
  };
}
