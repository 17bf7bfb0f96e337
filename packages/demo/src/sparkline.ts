const BARS = "▁▂▃▄▅▆▇█";

/** A row of bars, the newest value last, scaled to the largest value ever seen. */
export function sparkline(values: readonly number[], width: number): string {
  const top = Math.max(...values, Number.MIN_VALUE);
  return compress(values, width)
    .map((value) => BARS[Math.min(BARS.length - 1, Math.floor((value / top) * BARS.length))])
    .join("")
    .padEnd(width);
}

/** At most `width` values, each the largest of its share. */
function compress(values: readonly number[], width: number): readonly number[] {
  if (values.length <= width) return values;
  return Array.from({ length: width }, (_, column) => {
    const from = Math.floor((column * values.length) / width);
    const to = Math.floor(((column + 1) * values.length) / width);
    return Math.max(...values.slice(from, Math.max(to, from + 1)));
  });
}
