/** One object for equal values, and one string for equal strings: thousands of pods share their labels. */
export type Interner = ReturnType<typeof createInterner>;

/** Longer texts are not shared: few are equal, and whoever writes them would choose how much is kept. */
const maxLength = 16 * 1024;
/** Of all strings, and of all values in JSON. */
const maxTotalLength = 8 * 1024 * 1024;

/**
 * Starts over when it has `max` strings, or values, or 8 Mi characters of them; what was shared remains shared where it is. The bounded
 * cache took nearly twice the time for each pod that changes, because it orders entries by their use, which is of no use here.
 */
export function createInterner(max: number) {
  const strings = createShared<string>(max);
  const values = createShared<unknown>(max);
  return {
    string: (value: string): string => strings(value, value),
    /** Of plain JSON that is never changed. */
    value: <T>(value: T): T => values(JSON.stringify(value), value) as T,
  };
}

function createShared<V>(max: number): (key: string, value: V) => V {
  const known = new Map<string, V>();
  let total = 0;
  return (key, value) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    if (key.length > maxLength) return value;
    if (known.size >= max || total + key.length > maxTotalLength) {
      known.clear();
      total = 0;
    }
    known.set(key, value);
    total += key.length;
    return value;
  };
}

/** Strings that represent objects in keys of caches, each for as long as its object exists. */
export function createObjectIds(): (object: object) => string {
  const ids = new WeakMap<object, string>();
  let last = 0;
  return (object) => {
    const known = ids.get(object);
    if (known !== undefined) return known;
    last += 1;
    const id = String(last);
    ids.set(object, id);
    return id;
  };
}
