// Spreads the keys of each namespace over the sync period.
import { getOrAdd } from "@plimsoll/component-base";
import { hash } from "./hash.ts";

/** Keys of a namespace with no more than so many are in one bucket, or in some that are next to each other. */
const smallNamespace = 250;
const keysPerBucket = 50;
/** Keys that were all served at once spread out again within this number of periods. */
const periodsToSpread = 20;

interface AddedAt {
  readonly after: number;
  readonly firstIn?: number | undefined;
}

interface Place {
  readonly stride: number;
  readonly bucket: number;
  /** Ticks that its periods may be longer, until it is at its phase. */
  readonly maxMove: number;
}

/** Where the keys are, and where they go next. */
function createPlaces() {
  const buckets = new Map<number, Set<string>>();
  const places = new Map<string, Place>();
  const keysIn = new Map<string, number>();

  const ticksTo = (key: string, stride: number, tick: number): number =>
    modulo(phaseOf(key, keysIn.get(namespaceOf(key)) ?? 1) - tick, stride);

  function place(key: string, at: Place): number {
    places.set(key, at);
    getOrAdd(buckets, at.bucket, () => new Set()).add(key);
    return at.bucket;
  }

  /** One stride after a tick at which it was served, or a little later: towards its phase. */
  function placeAfter(key: string, { stride, bucket, maxMove }: Place): number {
    const next = bucket + stride;
    const ticks = ticksTo(key, stride, next);
    return place(key, {
      stride,
      bucket: next + Math.min(maxMove, ticks),
      maxMove: ticks <= maxMove ? 1 : maxMove,
    });
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

  return { buckets, places, keysIn, ticksTo, place, placeAfter, remove };
}

/**
 * Which keys a timer wheel serves at which of its ticks. A key's phase is its hash: keys are spread over their period,
 * and those of a small namespace are close together. The phase changes with the number of keys in the namespace. A key
 * moves to a new phase by one tick each period, and always to later ticks, so no period has two of its ticks. Keys that were
 * served when they were added are all at one tick, and move faster.
 */
export function createPeriodBuckets() {
  const { buckets, places, keysIn, ticksTo, place, placeAfter, remove } = createPlaces();
  return {
    get size() {
      return places.size;
    },
    keys: (): Iterable<string> => places.keys(),
    has: (key: string): boolean => places.has(key),
    /** Whether keys are served at a tick. */
    hasAt: (tick: number): boolean => buckets.has(tick),
    /**
     * Adds a key, or changes its stride: it is served every so many ticks, the first time after the tick `after`, for a new
     * key so many ticks after it (`firstIn`) at least. Returns the tick at which the key is served next.
     */
    add(key: string, stride: number, { after, firstIn }: AddedAt): number {
      const known = places.get(key);
      if (known?.stride === stride) return known.bucket;
      remove(key);
      add(keysIn, namespaceOf(key), 1);
      const next = after + 1;
      if (known !== undefined) {
        const bucket = Math.max(next, known.bucket - known.stride + stride);
        return place(key, { stride, bucket, maxMove: 1 });
      }
      if (firstIn === undefined)
        return place(key, { stride, bucket: next + ticksTo(key, stride, next), maxMove: 1 });
      const maxMove = Math.ceil(stride / periodsToSpread);
      return placeAfter(key, { stride, bucket: next + firstIn - stride, maxMove });
    },
    remove,
    /** The keys that are served at a tick, each placed again one stride after the tick `after`. */
    serve(tick: number, after: number): readonly string[] {
      const keys = [...(buckets.get(tick) ?? [])];
      buckets.delete(tick);
      for (const key of keys) {
        const { stride = 1, maxMove = 1 } = places.get(key) ?? {};
        placeAfter(key, { stride, bucket: after, maxMove });
      }
      return keys;
    },
  };
}

/** Keys that come close together can share their queries. */
function phaseOf(key: string, keysOfNamespace: number): number {
  if (keysOfNamespace > smallNamespace) return hash(key);
  return hash(namespaceOf(key)) + (hash(key) % Math.ceil(keysOfNamespace / keysPerBucket));
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
