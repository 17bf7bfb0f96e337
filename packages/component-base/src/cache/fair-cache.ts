// A cache that several owners share: what one of them stores evicts no more than that one has too much.
import { systemClock } from "../clock/clock.ts";
import { detached } from "./bounded-cache.ts";
import type { CacheMeter } from "./cache-meter.ts";
import type { CacheTiming } from "./cache-timing.ts";
import { getOrAdd } from "./get-or-add.ts";

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
  const owners = createOwners<V>(maxBytes);
  let isSweeping = false;

  const sweepLater = (): void => {
    if (isSweeping) return;
    isSweeping = true;
    after(Math.max(minSweepMs, options.ttlMs), () => {
      isSweeping = false;
      owners.removeAged(nowMs());
      if (owners.bytes > 0) sweepLater();
    });
  };

  options.meter?.add(options.name, owners);
  return {
    get bytes() {
      return owners.bytes;
    },
    get(name, key) {
      const entry = owners.get(name, key);
      if (entry === undefined || isAlive(entry, nowMs())) return entry?.value;
      owners.remove(name, key);
      return undefined;
    },
    set(name, key, value, ttlMs = options.ttlMs) {
      owners.remove(name, key);
      const bytes = entryBytes + 2 * key.length + Math.ceil(sizeOf(value));
      if (key.length > maxKeyLength || ttlMs <= 0 || bytes > maxBytes) return;
      const fromMs = nowMs();
      owners.add(detached(name), detached(key), { value, bytes, fromMs, untilMs: fromMs + ttlMs });
      sweepLater();
    },
    delete: owners.remove,
  };
}

function isAlive({ fromMs, untilMs }: Entry<unknown>, nowMs: number): boolean {
  return nowMs >= fromMs && nowMs < untilMs;
}

interface Owners<V> {
  readonly bytes: number;
  get(name: string, key: string): Entry<V> | undefined;
  /** Others go until all fit. */
  add(name: string, key: string, entry: Entry<V>): void;
  remove(name: string, key: string): void;
  removeAged(nowMs: number): void;
}

function createOwners<V>(maxBytes: number): Owners<V> {
  const owners = new Map<string, Owner<V>>();
  let bytes = 0;

  const remove = (name: string, key: string): void => {
    const owner = owners.get(name);
    const entry = owner?.entries.get(key);
    if (owner === undefined || entry === undefined) return;
    owner.entries.delete(key);
    owner.bytes -= entry.bytes;
    bytes -= entry.bytes;
    if (owner.entries.size === 0) owners.delete(name);
  };

  /** @returns whether there was too much */
  const evict = (): boolean => {
    if (bytes <= maxBytes) return false;
    let largest: { readonly name: string; readonly owner: Owner<V> } | undefined;
    for (const [name, owner] of owners)
      if (owner.bytes > (largest?.owner.bytes ?? 0)) largest = { name, owner };
    const [oldest] = largest?.owner.entries.keys() ?? [];
    if (largest === undefined || oldest === undefined) return false;
    remove(largest.name, oldest);
    return true;
  };

  return {
    get bytes() {
      return bytes;
    },
    get: (name, key) => owners.get(name)?.entries.get(key),
    remove,
    add(name, key, entry) {
      const owner = getOrAdd(owners, name, () => ({ bytes: 0, entries: new Map<string, Entry<V>>() }));
      owner.entries.set(key, entry);
      owner.bytes += entry.bytes;
      bytes += entry.bytes;
      for (let goesOn = evict(); goesOn; ) goesOn = evict();
    },
    removeAged(nowMs) {
      for (const [name, { entries }] of owners)
        for (const [key, entry] of entries) if (!isAlive(entry, nowMs)) remove(name, key);
    },
  };
}
