/** Runs work, `max` pieces at a time and the others in the order in which they came. */
export type Limit = <T>(work: () => Promise<T>) => Promise<T>;

/** A limit of its own, shared by all that run their work through it. */
export function createLimit(max: number): Limit {
  let active = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (active >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else active += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next in line, so that no newcomer takes it.
      const next = waiting.shift();
      if (next === undefined) active -= 1;
      else next();
    }
  };
}
