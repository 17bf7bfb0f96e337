// Which of several candidates are worse than another in everything that counts.

/** What counts: less of each is better. */
export interface Costs {
  readonly podHours: number;
  readonly shortPodSeconds: number;
  readonly hotSeconds: number;
  /** Decides between equals. */
  readonly reversals: number;
}

/** At most as much of everything, and less of something. */
export function dominates(a: Costs, b: Costs): boolean {
  if (a.podHours > b.podHours || a.shortPodSeconds > b.shortPodSeconds || a.hotSeconds > b.hotSeconds)
    return false;
  const isEqual =
    a.podHours === b.podHours && a.shortPodSeconds === b.shortPodSeconds && a.hotSeconds === b.hotSeconds;
  return !isEqual || a.reversals < b.reversals;
}

/** 0 for those that nothing dominates, 1 for those that only these do, and so on. */
export function nonDominatedRanks(costs: readonly Costs[]): readonly number[] {
  const ranks: number[] = costs.map(() => -1);
  let left = costs.map((_, at) => at);
  for (let rank = 0; left.length > 0; rank++) {
    const front = left.filter(
      (at) => !left.some((other) => dominates(costs[other] ?? noCosts, costs[at] ?? noCosts)),
    );
    for (const at of front) ranks[at] = rank;
    left = left.filter((at) => ranks[at] === -1);
  }
  return ranks;
}

/** Of nothing. */
export const noCosts: Costs = { podHours: 0, shortPodSeconds: 0, hotSeconds: 0, reversals: 0 };

/** Over several days. */
export function sumOf(days: readonly Costs[]): Costs {
  return days.reduce(
    (sum, day) => ({
      podHours: sum.podHours + day.podHours,
      shortPodSeconds: sum.shortPodSeconds + day.shortPodSeconds,
      hotSeconds: sum.hotSeconds + day.hotSeconds,
      reversals: sum.reversals + day.reversals,
    }),
    noCosts,
  );
}
