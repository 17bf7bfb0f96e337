// Counts what is in flight by key; each key may have a limit.

export interface Limit {
  readonly key: string;
  readonly max: number;
  /** Of these, those that may be stalled while other queries wait. */
  readonly maxStalled: number;
}

export type Counts = ReturnType<typeof createCounts>;

export function createCounts() {
  const counts = new Map<string, number>();
  const of = (key: string): number => counts.get(key) ?? 0;
  return {
    of,
    add(keys: readonly string[], by: 1 | -1): void {
      for (const key of keys) {
        const sum = of(key) + by;
        if (sum === 0) counts.delete(key);
        else counts.set(key, sum);
      }
    },
  };
}
