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
