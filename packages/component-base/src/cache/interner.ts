import { createBoundedCache } from "./bounded-cache.ts";

/** One object for equal values, and one string for equal strings: thousands of pods share their labels. */
export interface Interner {
  string(value: string): string;
  /** Of plain JSON that is never changed. */
  value<T>(value: T): T;
}

const ttlMs = 86_400_000;
const maxKeyLength = 10_000;

/** Strings, and values as JSON, take up to `maxBytes` each. What is forgotten remains shared where it is. */
export function createInterner(maxBytes: number): Interner {
  const options = { name: "interned", maxBytes, maxKeyLength, ttlMs, isAgeLoose: true };
  const strings = createBoundedCache<string>(options);
  const values = createBoundedCache<unknown>(options);
  return {
    string(value) {
      const known = strings.get(value);
      if (known === undefined) strings.set(value, value);
      return known ?? value;
    },
    value<T>(value: T): T {
      const key = JSON.stringify(value);
      const known = values.get(key);
      if (known === undefined) values.set(key, value);
      return (known ?? value) as T;
    },
  };
}
