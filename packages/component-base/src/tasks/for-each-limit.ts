/** Does the work for all items, `max` at a time; `work` must not reject. */
export async function forEachLimit<T>(
  max: number,
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(max, items.length) }, worker));
}
