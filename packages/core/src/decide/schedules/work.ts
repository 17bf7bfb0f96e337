// Limits the steps of a search.

/** Counts what a search costs. A step is a day, an hour or a minute that is looked at, or a look into a zone. */
export interface Work {
  spent: number;
  /** A search that has spent so much ends, and says how far it came. */
  limit: number;
}

/** Enough for tens of stretches that are excluded, each passed as a whole. */
const usualLimit = 1000;

export function createWork(limit = usualLimit): Work {
  return { spent: 0, limit };
}

export function isSpent({ spent, limit }: Work): boolean {
  return spent >= limit;
}
