/** Keeps answers for as long as their data may be old, and no more of them than fit. */
export interface ResultCache<V> {
  get(key: string, nowMs: number): V | undefined;
  /** dataAtMs is when the answer was asked for, or the time of its oldest sample where that was before. */
  set(key: string, value: V, dataAtMs: number): void;
  readonly size: number;
}

export interface ResultCacheOptions<V> {
  readonly maxAgeMs: number;
  readonly maxEntries?: number;
  /** Sum of weights that is kept at most. */
  readonly maxWeight?: number;
  readonly weigh?: (value: V) => number;
}

interface Entry<V> {
  readonly value: V;
  readonly dataAtMs: number;
  readonly weight: number;
}

export function createResultCache<V>(options: ResultCacheOptions<V>): ResultCache<V> {
  const maxEntries = options.maxEntries ?? 4_096;
  const maxWeight = options.maxWeight ?? 500_000;
  const weigh = options.weigh ?? (() => 1);
  const entries = new Map<string, Entry<V>>();
  let weight = 0;

  const remove = (key: string): void => {
    weight -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  };

  return {
    get size() {
      return entries.size;
    },
    get(key, nowMs) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      const ageMs = nowMs - entry.dataAtMs;
      // A clock that was set back must not keep an entry alive.
      if (ageMs >= 0 && ageMs <= options.maxAgeMs) return entry.value;
      remove(key);
      return undefined;
    },
    set(key, value, dataAtMs) {
      if (options.maxAgeMs <= 0) return;
      remove(key);
      const entry = { value, dataAtMs, weight: weigh(value) };
      entries.set(key, entry);
      weight += entry.weight;
      // What was put in first goes first: it has about the least time left.
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && weight <= maxWeight) break;
        remove(oldest);
      }
    },
  };
}
