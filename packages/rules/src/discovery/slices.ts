// Works through long lists in slices, between which requests are served.

/** So many items take some milliseconds. */
const sliceLength = 1_000;

/** Calls `each` with every item, in order. Short lists take no turn. */
export async function inSlices<T>(items: Iterable<T>, each: (item: T) => void): Promise<void> {
  let count = 0;
  for (const item of items) {
    each(item);
    count += 1;
    if (count % sliceLength === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
