/**
 * Remembers what was worked out for a text, for as long as that on which it rests is the same object, and for as many
 * texts as fit; the longest known goes first.
 */
export interface Memo<B, V> {
  get(key: string, basis: B, make: (key: string) => V): V;
}

export interface MemoOptions {
  readonly most: number;
  /** Callers choose their texts: longer ones are worked out each time. */
  readonly longestKey?: number;
}

export function createMemo<B, V>({ most, longestKey = 1024 }: MemoOptions): Memo<B, V> {
  const known = new Map<string, { readonly basis: B; readonly value: V }>();
  return {
    get(key, basis, make) {
      const found = known.get(key);
      if (found !== undefined && found.basis === basis) return found.value;
      const value = make(key);
      if (key.length > longestKey) return value;
      for (const oldest of known.keys()) {
        if (known.size < most) break;
        known.delete(oldest);
      }
      known.set(key, { basis, value });
      return value;
    },
  };
}
