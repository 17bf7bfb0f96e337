// A cache of review results, bounded in bytes, entries and age.
import { type BoundedCacheOptions, createBoundedCache } from "@plimsoll/component-base";

/** What is cached, and how much of it. */
export interface DecisionCacheOptions<V>
  extends Omit<BoundedCacheOptions<V>, "maxBytes" | "maxKeyLength" | "ttlMs"> {
  /** Default: 8 MiB. */
  readonly maxBytes?: number;
  /** How long a value may be used; 0 keeps it out of the cache. */
  readonly ttlMs: (value: V) => number;
}

const defaultMaxBytes = 8 * 1024 * 1024;
/** Callers choose their keys; a longer one is loaded each time. */
const maxKeyLength = 4096;
const sweepMs = 10_000;

/** Decisions of kube-apiserver, each under a key that contains all on which it depends. Bounded in bytes, number and age. Keys that are used in turn, and are some more than fit, still hit. */
export function createDecisionCache<V>(options: DecisionCacheOptions<V>) {
  const { maxBytes = defaultMaxBytes, ttlMs } = options;
  const cache = createBoundedCache<V>({ ...options, maxBytes, maxKeyLength, ttlMs: sweepMs });
  const loading = new Map<string, Promise<V>>();

  async function load(key: string, fetch: () => Promise<V>): Promise<V> {
    try {
      const value = await fetch();
      cache.set(key, value, ttlMs(value));
      return value;
    } finally {
      loading.delete(key);
    }
  }

  return {
    /** Loads under way. */
    get inFlight(): number {
      return loading.size;
    },
    peek: cache.get,
    /** Concurrent calls for one key share one load. A load that rejects is not cached. */
    get(key: string, fetch: () => Promise<V>): Promise<V> {
      const known = cache.get(key);
      if (known !== undefined) return Promise.resolve(known);
      const pending = loading.get(key);
      if (pending !== undefined) return pending;
      const started = load(key, fetch);
      loading.set(key, started);
      return started;
    },
  };
}
