// Our own writes until the watch shows them, as client-go's MutationCache.
import { type Clock, type KeyedEntries, steadyNowMs } from "@plimsoll/component-base";
import type { ObjectMeta } from "./object.ts";
import { isOlder } from "./resource-version.ts";

/** What the cache reads of an object. */
export interface Versioned {
  readonly metadata: Pick<ObjectMeta, "uid" | "resourceVersion">;
}

/**
 * What the server returned for objects (after a write or a read), until the watch shows it. A decision on a watched
 * object from before our own write would repeat that write.
 * @upstream client-go tools/cache MutationCache
 */
export interface MutationCache<T extends Versioned> {
  /** Of what is saved, those included that are too old and removed with the next one that is saved. */
  readonly entries: KeyedEntries;
  /**
   * Saves what the server returned. False when a newer version of the object is saved already: then this one comes
   * from a server that lags behind, and must not be used. An object without a version is not saved.
   */
  put(key: string, object: T): boolean;
  /** A write has an unknown outcome: the watch is behind until the server returned the object once more. */
  putUncertain(key: string): void;
  /** The newer of the watched and the saved object. An object of another uid replaces the saved one. */
  newest<W extends Versioned>(key: string, watched: W): T | W;
  /** Whether the watched object may be older than what the server has: then only the server knows. */
  isBehind(key: string, watched: Versioned): boolean;
  /** The object was deleted, or belongs to another process. */
  drop(key: string): void;
}

/** Times and limits of a mutation cache. */
export interface MutationCacheOptions {
  /** Ages are measured on its steady clock. */
  readonly clock: Pick<Clock, "nowMs" | "steadyMs">;
  /**
   * A saved object wins over the watched one for at most this long; 5 minutes by default. A watch that is still behind
   * then shows a server that was restored from a backup, on which versions went back.
   */
  readonly maxAgeMs?: number;
  /** Above this the entry that was saved first is dropped; 20,000 by default. */
  readonly maxEntries?: number;
}

interface Entry<T> {
  readonly object: T | undefined;
  readonly savedAtMs: number;
  /** Of the last uncertain write since. */
  readonly uncertainAtMs: number;
}

const never = Number.NEGATIVE_INFINITY;

/** One cache serves one kind of objects. */
export function createMutationCache<T extends Versioned>(options: MutationCacheOptions): MutationCache<T> {
  const { clock, maxAgeMs = 300_000, maxEntries = 20_000 } = options;
  /** In the order in which they were saved: the oldest comes first. */
  const entries = new Map<string, Entry<T>>();
  const nowMs = (): number => steadyNowMs(clock);
  /** An age below zero comes from a clock that was set back. */
  const isValid = (atMs: number, now: number): boolean => now >= atMs && now - atMs < maxAgeMs;

  function savedObject(key: string): T | undefined {
    const entry = entries.get(key);
    return entry !== undefined && isValid(entry.savedAtMs, nowMs()) ? entry.object : undefined;
  }

  function save(key: string, entry: Entry<T>): void {
    entries.delete(key);
    entries.set(key, entry);
    for (const [oldest, { savedAtMs, uncertainAtMs }] of entries) {
      const isExpired = !isValid(Math.max(savedAtMs, uncertainAtMs), nowMs());
      if (!isExpired && entries.size <= maxEntries) return;
      entries.delete(oldest);
    }
  }

  /** Whether the watch has yet to show what is saved; if not, the entry ends. */
  function isBehind(key: string, watched: Versioned): boolean {
    const entry = entries.get(key);
    if (entry === undefined) return false;
    const saved = savedObject(key);
    if (isValid(entry.uncertainAtMs, nowMs()) || (saved !== undefined && isNewer(saved, watched)))
      return true;
    entries.delete(key);
    return false;
  }

  return {
    entries,
    put(key, object) {
      if (object.metadata.resourceVersion === undefined) return true;
      const saved = savedObject(key);
      if (saved !== undefined && isNewer(saved, object)) return false;
      save(key, { object, savedAtMs: nowMs(), uncertainAtMs: never });
      return true;
    },
    putUncertain(key) {
      const { object, savedAtMs = never } = entries.get(key) ?? {};
      save(key, { object, savedAtMs, uncertainAtMs: nowMs() });
    },
    newest(key, watched) {
      const saved = isBehind(key, watched) ? savedObject(key) : undefined;
      return saved !== undefined && isNewer(saved, watched) ? saved : watched;
    },
    isBehind,
    drop: (key) => void entries.delete(key),
  };
}

/** Whether `one` is a later state of the same object. */
function isNewer(one: Versioned, other: Versioned): boolean {
  const [a, b] = [one.metadata, other.metadata];
  return a.uid === b.uid && isOlder(b.resourceVersion, a.resourceVersion);
}
