/** One object for equal values, and one string for equal strings: thousands of pods share their labels. */
export interface Interner {
  string(value: string): string;
  /** Of plain JSON that is never changed. */
  value<T>(value: T): T;
}

/**
 * Starts over when it has `max` strings, or values; what was shared remains shared where it is. The bounded cache took
 * nearly twice the time for each pod that changes, because it orders entries by their use, which is of no use here.
 */
export function createInterner(max: number): Interner {
  const strings = new Map<string, string>();
  const values = new Map<string, unknown>();
  return {
    string: (value) => shared(strings, value, value),
    value: <T>(value: T) => shared(values, JSON.stringify(value), value) as T,
  };

  function shared<V>(known: Map<string, V>, key: string, value: V): V {
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= max) known.clear();
    known.set(key, value);
    return value;
  }
}
