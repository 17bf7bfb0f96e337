// One ratio of the short bench, and the bound above which something has become expensive.

export interface Check {
  readonly what: string;
  /** Against the floor of the same run. */
  readonly ratio: number;
  readonly atMost: number;
  /** The two figures of the ratio. */
  readonly of: string;
}

export function isWithin({ ratio, atMost }: Check): boolean {
  return ratio <= atMost;
}

export function lineOf(check: Check): string {
  const mark = isWithin(check) ? "ok  " : "OVER";
  return `${mark} ${check.what.padEnd(62)} ${check.ratio.toFixed(2).padStart(8)}  at most ${check.atMost}  (${check.of})`;
}

/** A part that is beyond a bound is measured so often. */
const maxAttempts = 3;

/**
 * Measures a part, and again while any of its ratios is beyond its bound; of each ratio the lowest counts, because what else a
 * machine does only ever adds.
 */
export async function measurePart(
  measure: () => Promise<readonly Check[]> | readonly Check[],
): Promise<readonly Check[]> {
  const lowest = new Map<string, Check>();
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    for (const check of await measure()) {
      const known = lowest.get(check.what);
      if (known === undefined || check.ratio < known.ratio) lowest.set(check.what, check);
    }
    if ([...lowest.values()].every(isWithin)) break;
  }
  return [...lowest.values()];
}
