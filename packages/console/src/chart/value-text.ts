// Values beside the axis of a chart.
const suffixes = ["", "k", "M", "G", "T", "P", "E"];

/** Short enough for the edge of a chart: 1200000 is 1.2M. */
export function valueText(value: number, unit: string): string {
  const thousands = Math.floor(Math.log10(Math.abs(value)) / 3);
  const power = Math.abs(value) < 10_000 ? 0 : Math.min(thousands, suffixes.length - 1);
  return `${Number((value / 1000 ** power).toPrecision(4))}${suffixes[power]}${unit}`;
}
