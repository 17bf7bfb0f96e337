/** Lets what looks the same be the same: thousands of pods then share their labels, and millions of texts are few. */
export interface Interner {
  text(text: string): string;
  /** Of plain JSON that is never changed. */
  value<T>(value: T): T;
}

/** Forgets all that it knows when that is more than `most`: what was shared stays shared. */
export function createInterner(most: number): Interner {
  const texts = new Map<string, string>();
  const values = new Map<string, unknown>();

  return {
    text(text) {
      const known = texts.get(text);
      if (known !== undefined) return known;
      if (texts.size >= most) texts.clear();
      texts.set(text, text);
      return text;
    },
    value<T>(value: T): T {
      const key = JSON.stringify(value);
      const known = values.get(key);
      if (known !== undefined) return known as T;
      if (values.size >= most) values.clear();
      values.set(key, value);
      return value;
    },
  };
}
