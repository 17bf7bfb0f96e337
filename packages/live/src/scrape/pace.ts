// How often a namespace's pods are scraped: as asked, or more rarely when there are more of them than the limits allow.

/** Scrapes per second. */
export interface PaceLimits {
  readonly perNamespace: number;
  readonly all: number;
}

/** A namespace below its share of what all may do is never slowed by those above it. */
export function createPace({ perNamespace, all }: PaceLimits) {
  const groups = new Map<object, { readonly namespace: string; readonly perSecond: number }>();
  let factors: ReadonlyMap<string, number> | undefined;

  const computed = (): ReadonlyMap<string, number> => {
    const asked = new Map<string, number>();
    for (const { namespace, perSecond } of groups.values())
      asked.set(namespace, (asked.get(namespace) ?? 0) + perSecond);
    const share = fairShare(
      [...asked.values()].map((one) => Math.min(one, perNamespace)),
      all,
    );
    const allowed = Math.min(perNamespace, share);
    return new Map([...asked].map(([namespace, one]) => [namespace, Math.max(1, one / allowed)]));
  };

  return {
    /** @param perSecond scrapes; 0 takes the group away */
    ask(group: object, namespace: string, perSecond: number): void {
      const known = groups.get(group);
      if ((known?.perSecond ?? 0) === perSecond) return;
      if (perSecond === 0) groups.delete(group);
      else groups.set(group, { namespace, perSecond });
      factors = undefined;
    },
    /** By how much the intervals of a namespace are longer than asked: 1 or more. */
    factor(namespace: string): number {
      factors ??= computed();
      return factors.get(namespace) ?? 1;
    },
    /** How many namespaces are scraped more rarely than asked. */
    slowed: (): number => [...(factors ?? computed()).values()].filter((factor) => factor > 1).length,
  };
}

/** The most that each may have so that together they have at most `total`; those who ask for less keep what they ask for. */
export function fairShare(asked: readonly number[], total: number): number {
  let left = total;
  let count = asked.length;
  for (const one of asked.toSorted((a, b) => a - b)) {
    if (one * count > left) return left / count;
    left -= one;
    count -= 1;
  }
  return Infinity;
}
