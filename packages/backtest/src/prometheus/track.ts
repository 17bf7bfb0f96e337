// Series as arrays of numbers, which take a fifth of the memory of pairs.
import { type InstantResult, type Labels, labelOf } from "@plimsoll/prometheus";

/** One series over time. */
export interface Track {
  readonly labels: Labels;
  /** Ascending. */
  readonly atMs: readonly number[];
  readonly values: readonly number[];
}

/** The series of a result; samples at one instant are series of one point. */
export function compactSeries(result: InstantResult): readonly Track[] {
  switch (result.type) {
    case "matrix":
      return result.series.map(({ labels, points }) => ({
        labels,
        atMs: points.map(([atMs]) => atMs),
        values: points.map(([, value]) => value),
      }));
    case "vector":
      return result.samples.map(({ labels, atMs, value }) => ({ labels, atMs: [atMs], values: [value] }));
    case "scalar":
      return [{ labels: {}, atMs: [result.atMs], values: [result.value] }];
    case "string":
      return [];
  }
}

/** The same series of successive parts as one. A sample where two parts meet counts once. */
export function joined(parts: readonly (readonly Track[])[]): readonly Track[] {
  const found = new Map<string, { labels: Labels; atMs: number[]; values: number[] }>();
  for (const { labels, atMs, values } of parts.flat()) {
    const key = keyOf(labels);
    const track = found.get(key) ?? { labels, atMs: [], values: [] };
    found.set(key, track);
    for (const [n, at] of atMs.entries()) {
      if (at <= (track.atMs.at(-1) ?? -Infinity)) continue;
      track.atMs.push(at);
      track.values.push(values[n] ?? Number.NaN);
    }
  }
  return [...found.values()];
}

function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The name of a series, "" without one. */
export function nameOf({ labels }: Track): string {
  return labelOf(labels, "__name__") ?? "";
}

/** A value that differs from the one before it. */
export interface ValueStep {
  readonly atMs: number;
  /** Of the sample before, which still had the other value; the same as atMs for the first. */
  readonly earliestMs: number;
  readonly value: number;
}

/** The first value and each that differs from the one before. */
export function stepsOf(tracks: readonly Track[]): readonly ValueStep[] {
  const steps: ValueStep[] = [];
  let earliestMs: number | undefined;
  for (const [atMs, value] of samplesOf(tracks)) {
    if (!Number.isFinite(value)) continue;
    if (value !== steps.at(-1)?.value) steps.push({ atMs, earliestMs: earliestMs ?? atMs, value });
    earliestMs = atMs;
  }
  return steps;
}

/** In time. */
function* samplesOf(tracks: readonly Track[]): Iterable<readonly [atMs: number, value: number]> {
  const [first, ...others] = tracks;
  if (first === undefined) return;
  if (others.length === 0) {
    for (const [n, at] of first.atMs.entries()) yield [at, first.values[n] ?? Number.NaN];
    return;
  }
  const all = tracks.flatMap(({ atMs, values }) =>
    atMs.map((at, n) => [at, values[n] ?? Number.NaN] as const),
  );
  yield* all.toSorted(([a], [b]) => a - b);
}
