/** A figure of several runs. */
export interface Range {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Undefined where one of the values is unknown. */
export function rangeOf(values: readonly (number | undefined)[]): Range | undefined {
  const known = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  const [low] = known;
  if (low === undefined || known.length < values.length) return undefined;
  const middle = (known.length - 1) / 2;
  const median = ((known[Math.floor(middle)] ?? low) + (known[Math.ceil(middle)] ?? low)) / 2;
  return { median, low, high: known.at(-1) ?? low };
}
