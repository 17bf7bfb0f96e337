// Whether figures of a process grow: the slope over its samples, against a stated bound.
import type { Collection, Inside } from "./inspector.ts";

/** A process at one moment. */
export interface Sample extends Inside {
  readonly atMs: number;
  /** How long the process stood still for it. */
  readonly lookMs: number;
  /** Of /metrics. */
  readonly series: number;
  readonly labelValues: number;
  /** Of the cluster: most of what a process has depends on them. */
  readonly pods: number;
  /** Not at every sample, because the process stands still for it. */
  readonly collections?: readonly Collection[];
}

type Figure = "heapMiB" | "handles" | "timers" | "series" | "labelValues" | "records";

/** What may grow by how much from the beginning to the end of the samples: the larger of the two. */
export interface Bound {
  readonly what: Figure;
  readonly absolute: number;
  /** Of the median. */
  readonly share: number;
}

/**
 * The population of objects is level but for two of each kind, and machine code and caches fill for minutes: growth
 * below these bounds cannot be distinguished from noise. The longer the soak, the smaller the slope that they allow.
 */
export const bounds: readonly Bound[] = [
  { what: "heapMiB", absolute: 8, share: 0.25 },
  { what: "handles", absolute: 40, share: 0.2 },
  { what: "timers", absolute: 40, share: 0.2 },
  { what: "series", absolute: 250, share: 0.25 },
  { what: "labelValues", absolute: 60, share: 0.25 },
];

const recordsBound: Bound = { what: "records", absolute: 1000, share: 0.25 };

/**
 * One Map or Set may grow by so many entries, or by so many for each object that was created meanwhile. Caches drop
 * what is ten minutes old, and do so every ten minutes: only what grows for longer than both, without a drop, grows.
 */
export const collectionBound = { absolute: 100, perObject: 0.5, minMs: 20 * 60_000, drop: 0.9 };

export const minSamples = 6;
/** Of those with collections. */
export const minCollectionSamples = 4;

export interface Growth {
  readonly what: string;
  readonly first: number;
  readonly last: number;
  /** Along the fitted line, from the first sample to the last. */
  readonly growth: number;
  readonly allowed: number;
  readonly perHour: number;
  readonly isTooMuch: boolean;
}

/** Each figure of one life of a process, without its beginning. Empty when there are too few samples. */
export function growthOf(samples: readonly Sample[]): readonly Growth[] {
  return samples.length < minSamples ? [] : bounds.flatMap((bound) => growthWithin(samples, bound));
}

function growthWithin(samples: readonly Sample[], { what, absolute, share }: Bound): readonly Growth[] {
  const points = pointsOf(samples, what);
  const allowed = Math.max(absolute, share * median(points.map(([, value]) => value)));
  return [rowOf({ what, allowed, points })];
}

function pointsOf(samples: readonly Sample[], what: Figure): readonly Point[] {
  if (what !== "records") return samples.map((sample) => [sample.atMs, sample[what]]);
  return withCollections(samples).map(({ atMs, collections }) => [
    atMs,
    collections.reduce((sum, { size }) => sum + size, 0),
  ]);
}

function withCollections(samples: readonly Sample[]) {
  return samples.flatMap(({ atMs, collections }) =>
    collections === undefined ? [] : [{ atMs, collections }],
  );
}

/** Entries of all collections together, and of those that are there at every look what grows too much. */
export function growthOfCollections(samples: readonly Sample[], objectsCreated: number): readonly Growth[] {
  if (withCollections(samples).length < minCollectionSamples) return [];
  return [...growthWithin(samples, recordsBound), ...collectionsThatGrow(samples, objectsCreated)];
}

function collectionsThatGrow(samples: readonly Sample[], objectsCreated: number): readonly Growth[] {
  const allowed = Math.max(collectionBound.absolute, collectionBound.perObject * objectsCreated);
  const looks = withCollections(samples);
  if ((looks.at(-1)?.atMs ?? 0) - (looks[0]?.atMs ?? 0) < collectionBound.minMs) return [];
  const everywhere = (looks.at(-1)?.collections ?? []).filter(({ id }) =>
    looks.every(({ collections }) => collections.some((one) => one.id === id)),
  );
  return everywhere
    .map((last) => {
      const points = looks.map(({ atMs, collections }): Point => [atMs, sizeOf(collections, last.id)]);
      return { points, row: rowOf({ what: `a collection with "${last.sample}"`, allowed, points }) };
    })
    .filter(({ points, row }) => row.isTooMuch && !hasDropped(points))
    .map(({ row }) => row);
}

function hasDropped(points: readonly Point[]): boolean {
  return points.some(([, size], index) => size < collectionBound.drop * (points[index - 1]?.[1] ?? 0));
}

function sizeOf(collections: readonly Collection[], id: number): number {
  return collections.find((one) => one.id === id)?.size ?? 0;
}

type Point = readonly [atMs: number, value: number];

function rowOf(row: {
  readonly what: string;
  readonly allowed: number;
  readonly points: readonly Point[];
}): Growth {
  const { what, allowed, points } = row;
  const slope = slopeOf(points);
  const durationMs = (points.at(-1)?.[0] ?? 0) - (points[0]?.[0] ?? 0);
  const growth = slope * durationMs;
  return {
    what,
    first: points[0]?.[1] ?? 0,
    last: points.at(-1)?.[1] ?? 0,
    growth,
    allowed,
    perHour: slope * 3_600_000,
    isTooMuch: growth > allowed,
  };
}

/** Theil and Sen: the median of the slopes between all pairs, which single outliers do not move. */
export function slopeOf(points: readonly Point[]): number {
  const slopes = points.flatMap(([fromMs, from], index) =>
    points.slice(index + 1).map(([toMs, to]) => (to - from) / (toMs - fromMs)),
  );
  return slopes.length === 0 ? 0 : median(slopes);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}
