// What load is offered: as data, and as the cursor that a run reads it with.

/** The load that is offered to a workload, in requests per second. Plain JSON. */
export type Load =
  | { readonly kind: "constant"; readonly perSecond: number }
  | PointsLoad
  | SineLoad
  | ProfileLoad
  | SpikeLoad
  | { readonly kind: "sum"; readonly parts: readonly Load[] }
  | { readonly kind: "noise"; readonly of: Load; readonly deviation: number; readonly memoryMs: number }
  | { readonly kind: "poisson"; readonly of: Load; readonly bucketMs: number };

export const noLoad: Load = { kind: "constant", perSecond: 0 };

/** Values at instants: straight lines between them, or each until the next. The first and the last go on forever. */
export interface PointsLoad {
  readonly kind: "points";
  readonly shape: "lines" | "steps";
  /** Milliseconds since 1970, ascending. */
  readonly atMs: readonly number[];
  readonly perSecond: readonly number[];
}

/** Mean + amplitude × cos(2π(t − peakAtMs)/periodMs), never below zero. */
export interface SineLoad {
  readonly kind: "sine";
  readonly mean: number;
  readonly amplitude: number;
  readonly periodMs: number;
  readonly peakAtMs: number;
}

/** What repeats every day or week of a time zone: values at equal distances, with straight lines between them. */
export interface ProfileLoad {
  readonly kind: "profile";
  /** IANA name. */
  readonly timeZone: string;
  readonly repeats: "daily" | "weekly";
  /** The first is at midnight, of Monday where it is weekly. */
  readonly perSecond: readonly number[];
}

/** Rises by `height`, stays, and falls again. */
export interface SpikeLoad {
  readonly kind: "spike";
  readonly atMs: number;
  readonly height: number;
  readonly riseMs: number;
  readonly holdMs: number;
  readonly fallMs: number;
}

/**
 * Reads a load forward in time. From `fromMs` until `untilMs` it is a straight line: `perSecond` at `fromMs`, with
 * `slope` more per second in each second. It is overwritten by each move, so that years cost no object each.
 */
export interface LoadCursor {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly perSecond: number;
  readonly slope: number;
  /** To an instant that is not before the one it is at. */
  moveTo(atMs: number): void;
}
