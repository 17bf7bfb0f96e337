export interface DecisionCacheOptions<V> {
  readonly nowMs: () => number;
  readonly maxEntries: number;
  /** How long a value may be used; 0 keeps it out of the cache. */
  readonly ttlMs: (value: V) => number;
}

export interface DecisionCache<V> {
  readonly size: number;
  /** Questions under way. */
  readonly inFlight: number;
  peek(key: string): V | undefined;
  /** Concurrent calls for one key share one load. A load that rejects is not remembered. */
  get(key: string, load: () => Promise<V>): Promise<V>;
}

interface Entry<V> {
  readonly value: V;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Answers of kube-apiserver: bounded in number and in age, the least recently used one goes first. */
export function createDecisionCache<V>(options: DecisionCacheOptions<V>): DecisionCache<V> {
  const entries = new Map<string, Entry<V>>();
  const loading = new Map<string, Promise<V>>();

  const peek = (key: string): V | undefined => {
    const entry = entries.get(key);
    if (entry === undefined) {
      return undefined;
    }
    entries.delete(key);
    const nowMs = options.nowMs();
    // A clock that was set back must not lengthen a life.
    if (nowMs < entry.fromMs || nowMs >= entry.untilMs) {
      return undefined;
    }
    entries.set(key, entry);
    return entry.value;
  };

  const remember = (key: string, value: V): void => {
    const ttlMs = options.ttlMs(value);
    if (ttlMs <= 0) {
      return;
    }
    const fromMs = options.nowMs();
    entries.delete(key);
    entries.set(key, { value, fromMs, untilMs: fromMs + ttlMs });
    while (entries.size > options.maxEntries) {
      const oldest = entries.keys().next();
      if (oldest.done === true) {
        return;
      }
      entries.delete(oldest.value);
    }
  };

  const load = async (key: string, ask: () => Promise<V>): Promise<V> => {
    try {
      const value = await ask();
      remember(key, value);
      return value;
    } finally {
      loading.delete(key);
    }
  };

  return {
    get size() {
      return entries.size;
    },
    get inFlight() {
      return loading.size;
    },
    peek,
    get: (key, ask) => {
      const known = peek(key);
      if (known !== undefined) {
        return Promise.resolve(known);
      }
      const pending = loading.get(key);
      if (pending !== undefined) {
        return pending;
      }
      const started = load(key, ask);
      loading.set(key, started);
      return started;
    },
  };
}
