// A cache bounded in bytes, entries and age, for keys that callers choose.
import { systemClock } from "../clock/clock.ts";
import type { CacheMeter } from "./cache-meter.ts";
import type { CacheTiming } from "./cache-timing.ts";
import { createSegmentedLru } from "./segmented-lru.ts";

/**
 * Values computed for keys that callers choose. Entries that are read outlive those that are not, also when callers cycle
 * over more keys than fit. Entries that are too old are removed even when no caller reads them.
 */
export interface BoundedCache<V> {
  readonly size: number;
  /** What keys and values take, as counted. Never more than the bound. */
  readonly bytes: number;
  get(key: string): V | undefined;
  /** Keeps nothing under a key that is too long, and no value that is larger than all may be. */
  set(key: string, value: V, ttlMs?: number): void;
  delete(key: string): void;
}

/** The bounds of a cache. */
export interface BoundedCacheOptions<V> extends CacheTiming {
  /** Under which the meter reports it. */
  readonly name: string;
  readonly meter?: CacheMeter | undefined;
  readonly maxBytes: number;
  readonly maxEntries?: number;
  /** In UTF-16 code units. Default 1024. */
  readonly maxKeyLength?: number;
  /** Bytes that a value takes; default 0 beside what each entry counts. */
  readonly sizeOf?: (value: V) => number;
  readonly ttlMs: number;
  /** Whether what is too old may be given until it is swept out, at twice its age at the latest. Default false. */
  readonly isAgeLoose?: boolean;
}

interface Entry<V> {
  readonly value: V;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** What the bookkeeping of one entry takes. */
const ENTRY_BYTES = 256;
const MIN_SWEEP_MS = 1_000;
/** Moving an entry to the front costs more than reading it; what is read often is moved often enough. */
const READS_PER_TOUCH = 4;

/** Expired entries are swept out by a timer while there are any. */
export function createBoundedCache<V>(given: BoundedCacheOptions<V>): BoundedCache<V> {
  const options = { ...given.meter?.timing, ...given };
  const {
    maxBytes,
    maxEntries = Number.POSITIVE_INFINITY,
    maxKeyLength = 1024,
    sizeOf = () => 0,
    nowMs = Date.now,
  } = options;
  const { isAgeLoose = false, after = systemClock.afterIdle } = options;
  // Expiry of the library would lengthen a life when the clock is set back, and takes a timer for each entry.
  const entries = createSegmentedLru<Entry<V>>(maxBytes, maxEntries);
  options.meter?.add(options.name, entries);
  let isSweeping = false;
  let reads = 0;

  const isAlive = ({ fromMs, untilMs }: Entry<V>, now: number): boolean => now >= fromMs && now < untilMs;

  const sweepLater = (): void => {
    if (isSweeping) return;
    isSweeping = true;
    after(Math.max(MIN_SWEEP_MS, options.ttlMs), () => {
      isSweeping = false;
      const now = nowMs();
      for (const [key, entry] of entries.entries()) if (!isAlive(entry, now)) entries.delete(key);
      if (entries.size > 0) sweepLater();
    });
  };

  return {
    get size() {
      return entries.size;
    },
    get bytes() {
      return entries.bytes;
    },
    get(key) {
      const entry = entries.peek(key);
      if (entry === undefined) return undefined;
      if (isAgeLoose || isAlive(entry, nowMs())) {
        reads += 1;
        if (reads % READS_PER_TOUCH === 0) entries.touch(key);
        return entry.value;
      }
      entries.delete(key);
      return undefined;
    },
    set(key, value, ttlMs = options.ttlMs) {
      if (key.length > maxKeyLength || ttlMs <= 0) return entries.delete(key);
      const fromMs = nowMs();
      const size = ENTRY_BYTES + 2 * key.length + Math.ceil(sizeOf(value));
      entries.set(detached(key), { value, fromMs, untilMs: fromMs + ttlMs }, size);
      sweepLater();
    },
    delete: entries.delete,
  };
}

/** The same string on its own: a part of a larger string keeps all of that in memory. */
export function detached(text: string): string {
  return ` ${text}`.slice(1);
}
