// Where the lines of an axis are, and what is written beside them.

const daySeconds = 86_400;

/** Steps that readers of clocks count in, in seconds. */
const timeSteps: readonly number[] = [
  { unit: 1, counts: [1, 2, 5, 10, 15, 30] },
  { unit: 60, counts: [1, 2, 5, 10, 15, 30] },
  { unit: 3_600, counts: [1, 2, 3, 6, 12] },
  { unit: daySeconds, counts: [1, 2, 7, 14, 28] },
].flatMap(({ unit, counts }) => counts.map((count) => count * unit));

/** Instants in seconds that are multiples of one step, at most `max` of them. */
export function timeTicks(first: number, last: number, max: number): readonly number[] {
  const span = last - first;
  const step = timeSteps.find((one) => span / one <= max) ?? Math.ceil(span / max / daySeconds) * daySeconds;
  return multiples(first, last, step);
}

/** Values from 0 on with a step of 1, 2 or 5 times a power of ten, at most `max` after the zero. */
export function valueTicks(top: number, max: number): readonly number[] {
  if (!(top > 0) || max < 1) return [0];
  const raw = top / max;
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 5].find((one) => one * power >= raw * (1 - 1e-9)) ?? 10;
  return multiples(0, top, factor * power);
}

function multiples(first: number, last: number, step: number): readonly number[] {
  const from = Math.ceil(first / step);
  const count = Math.max(0, Math.floor(last / step) - from + 1);
  return Array.from({ length: count }, (_, index) => (from + index) * step);
}

/** In UTC as everywhere on the page; the date only where the day begins. */
export function timeText(seconds: number, hasSeconds: boolean): string {
  const text = new Date(seconds * 1000).toISOString();
  const time = text.slice(11, hasSeconds ? 19 : 16);
  return seconds % daySeconds === 0 ? text.slice(5, 10) : time;
}

const suffixes = ["", "k", "M", "G", "T", "P", "E"];

/** Short enough for the edge of a chart: 1200000 is 1.2M. */
export function valueText(value: number, unit: string): string {
  const thousands = Math.floor(Math.log10(Math.abs(value)) / 3);
  const power = Math.abs(value) < 10_000 ? 0 : Math.min(thousands, suffixes.length - 1);
  return `${Number((value / 1000 ** power).toPrecision(4))}${suffixes[power]}${unit}`;
}
