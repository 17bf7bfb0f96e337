// Spreads the keys of each namespace over the sync period.
import { getOrAdd } from "@plimsoll/component-base";
import { hash } from "./hash.ts";

/** Keys of a namespace with no more than so many are in one bucket, or in some that are next to each other. */
const smallNamespace = 250;
const keysPerBucket = 50;

interface Place {
  readonly stride: number;
  readonly bucket: number;
}

/**
 * Which keys a timer wheel serves at which of its ticks. A key's phase is its hash: keys are spread over their period,
 * and those of a small namespace are close together.
 */
export function createPeriodBuckets() {
  const buckets = new Map<number, Set<string>>();
  const places = new Map<string, Place>();
  const keysIn = new Map<string, number>();

  function place(key: string, stride: number, after: number): number {
    // Keys that come close together can share their queries.
    const namespace = namespaceOf(key);
    const keys = keysIn.get(namespace) ?? 1;
    const isSmall = keys <= smallNamespace;
    const phase = isSmall ? hash(namespace) + (hash(key) % Math.ceil(keys / keysPerBucket)) : hash(key);
    const bucket = after + 1 + modulo(phase - after - 1, stride);
    places.set(key, { stride, bucket });
    getOrAdd(buckets, bucket, () => new Set()).add(key);
    return bucket;
  }

  function remove(key: string): void {
    const known = places.get(key);
    if (known === undefined) return;
    places.delete(key);
    add(keysIn, namespaceOf(key), -1);
    const keys = buckets.get(known.bucket);
    keys?.delete(key);
    if (keys?.size === 0) buckets.delete(known.bucket);
  }

  return {
    get size() {
      return places.size;
    },
    keys: (): Iterable<string> => places.keys(),
    has: (key: string): boolean => places.has(key),
    /** Whether keys are served at a tick. */
    hasAt: (tick: number): boolean => buckets.has(tick),
    /**
     * Adds a key, or changes its stride: it is served every so many ticks, the first time after the tick `after`. Returns the
     * tick at which it is served next.
     */
    add(key: string, stride: number, after: number): number {
      const known = places.get(key);
      if (known?.stride === stride) return known.bucket;
      remove(key);
      add(keysIn, namespaceOf(key), 1);
      return place(key, stride, after);
    },
    remove,
    /** The keys that are served at a tick, each placed once more, after the tick `after`. */
    serve(tick: number, after: number): readonly string[] {
      const keys = [...(buckets.get(tick) ?? [])];
      buckets.delete(tick);
      for (const key of keys) place(key, places.get(key)?.stride ?? 1, after);
      return keys;
    },
  };
}

function add(counts: Map<string, number>, name: string, by: number): void {
  const count = (counts.get(name) ?? 0) + by;
  if (count > 0) counts.set(name, count);
  else counts.delete(name);
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by;
}

/** What stands before the first slash. */
export function namespaceOf(key: string): string {
  return key.slice(0, key.indexOf("/"));
}
