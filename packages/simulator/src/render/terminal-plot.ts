// A line of blocks: how an amount changes over time, in one line of a terminal.

const blocks = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
const asciiBlocks = [".", ":", "-", "=", "+", "*", "%", "#"];

/** The values as blocks, at most `width` of them: each shows the highest of its part. */
export function sparkline(
  values: readonly number[],
  width: number,
  options: { readonly isUtf8?: boolean; readonly max?: number } = {},
): string {
  const signs = options.isUtf8 === false ? asciiBlocks : blocks;
  const columns = highest(values, Math.min(width, values.length));
  const max = options.max ?? Math.max(0, ...columns);
  return columns
    .map(
      (value) =>
        signs[max <= 0 ? 0 : Math.min(signs.length - 1, Math.floor((value / max) * signs.length))] ?? "",
    )
    .join("");
}

/** The highest value of each of so many parts. */
export function highest(values: readonly number[], parts: number): readonly number[] {
  return Array.from({ length: parts }, (_, part) => {
    const from = Math.floor((part * values.length) / parts);
    const to = Math.max(from + 1, Math.floor(((part + 1) * values.length) / parts));
    return values.slice(from, to).reduce((max, value) => Math.max(max, value), -Infinity);
  });
}
