/** The same function, which computes each result once; it forgets all of them when they would be more than `maxResults`. */
export function memoize<V>(compute: (key: number) => V, maxResults: number): (key: number) => V {
  const known = new Map<number, V>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const result = compute(key);
    if (known.size >= maxResults) known.clear();
    known.set(key, result);
    return result;
  };
}
