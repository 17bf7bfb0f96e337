// A cache that several owners share: what one of them stores evicts no more than that one has too much.
import { systemClock } from "../clock/clock.ts";
import { detached } from "./bounded-cache.ts";
import type { CacheMeter } from "./cache-meter.ts";
import type { CacheTiming } from "./cache-timing.ts";

/** Values by owner and key. An owner that has less than its equal part of the bytes loses nothing to others. */
export interface FairCache<V> {
  readonly bytes: number;
  get(owner: string, key: string): V | undefined;
  /** Keeps nothing under a key that is too long, and no value that is larger than all may be. */
  set(owner: string, key: string, value: V, ttlMs?: number): void;
  delete(owner: string, key: string): void;
}

/** The bounds of a cache that owners share. */
export interface FairCacheOptions<V> extends CacheTiming {
  /** Under which the meter reports it. */
  readonly name: string;
  readonly meter?: CacheMeter | undefined;
  /** Of all owners together. */
  readonly maxBytes: number;
  /** In UTF-16 code units. Default 1024. */
  readonly maxKeyLength?: number;
  /** Bytes that a value takes, beside what each entry counts. */
  readonly sizeOf: (value: V) => number;
  readonly ttlMs: number;
}

interface Entry<V> {
  readonly value: V;
  readonly bytes: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

interface Owner<V> {
  bytes: number;
  /** The oldest first. */
  readonly entries: Map<string, Entry<V>>;
}

/** What the bookkeeping of one entry takes. */
const entryBytes = 256;
const minSweepMs = 1_000;

/** When there is too much, the owner with the most bytes loses its oldest entry. */
export function createFairCache<V>(given: FairCacheOptions<V>): FairCache<V> {
  const options = { ...given.meter?.timing, ...given };
  const { maxBytes, maxKeyLength = 1024, sizeOf, nowMs = Date.now } = options;
  const { after = systemClock.afterIdle } = options;
  const owners = new Map<string, Owner<V>>();
  let bytes = 0;
  let isSweeping = false;

  const remove = (name: string, owner: Owner<V>, key: string): void => {
    const entry = owner.entries.get(key);
    if (entry === undefined) return;
    owner.entries.delete(key);
    owner.bytes -= entry.bytes;
    bytes -= entry.bytes;
    if (owner.entries.size === 0) owners.delete(name);
  };

  const evict = (): void => {
    let largest: { readonly name: string; readonly owner: Owner<V> } | undefined;
    for (const [name, owner] of owners)
      if (owner.bytes > (largest?.owner.bytes ?? 0)) largest = { name, owner };
    const [oldest] = largest?.owner.entries.keys() ?? [];
    if (largest !== undefined && oldest !== undefined) remove(largest.name, largest.owner, oldest);
  };

  const isAlive = ({ fromMs, untilMs }: Entry<V>, now: number): boolean => now >= fromMs && now < untilMs;

  const sweepLater = (): void => {
    if (isSweeping) return;
    isSweeping = true;
    after(Math.max(minSweepMs, options.ttlMs), () => {
      isSweeping = false;
      const now = nowMs();
      for (const [name, owner] of owners)
        for (const [key, entry] of owner.entries) if (!isAlive(entry, now)) remove(name, owner, key);
      if (owners.size > 0) sweepLater();
    });
  };

  const cache: FairCache<V> = {
    get bytes() {
      return bytes;
    },
    get(name, key) {
      const owner = owners.get(name);
      const entry = owner?.entries.get(key);
      if (owner === undefined || entry === undefined) return undefined;
      if (isAlive(entry, nowMs())) return entry.value;
      remove(name, owner, key);
      return undefined;
    },
    set(name, key, value, ttlMs = options.ttlMs) {
      cache.delete(name, key);
      const size = entryBytes + 2 * key.length + Math.ceil(sizeOf(value));
      if (key.length > maxKeyLength || ttlMs <= 0 || size > maxBytes) return;
      const owner = owners.get(name) ?? { bytes: 0, entries: new Map<string, Entry<V>>() };
      owners.set(detached(name), owner);
      const fromMs = nowMs();
      owner.entries.set(detached(key), { value, bytes: size, fromMs, untilMs: fromMs + ttlMs });
      owner.bytes += size;
      bytes += size;
      while (bytes > maxBytes) evict();
      sweepLater();
    },
    delete(name, key) {
      const owner = owners.get(name);
      if (owner !== undefined) remove(name, owner, key);
    },
  };
  options.meter?.add(options.name, cache);
  return cache;
}
