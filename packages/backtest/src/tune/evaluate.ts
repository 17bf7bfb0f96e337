// The seam between the search and the simulations: plain data out, plain data back, on this thread or on others.
import type { Autoscaler, Scenario } from "@plimsoll/simulator";
import type { LoopFigures } from "../infer/counterfactual.ts";

/**
 * Everything about the days but the specification. Plain data, and the same object in every batch of one call of `tune`:
 * a thread needs it once.
 */
export interface TuneWorld {
  readonly days: readonly TuneDay[];
}

/** One whole day of a recording. */
export interface TuneDay {
  /** In the time zone of the request, such as "2026-11-27". */
  readonly date: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Its only workload has no autoscaler yet. It begins before the day: what is before fromMs does not count. */
  readonly scenario: Scenario;
}

/** What makes a day harder than it was. */
export interface Stress {
  /** Such as 1.2. */
  readonly load?: number;
  /** Such as 2. */
  readonly startUp?: number;
  /** Part of the scrapes that fail, 0–1. */
  readonly failedScrapes?: number;
}

/** One candidate on one day. */
export interface TuneTask {
  readonly autoscaler: Autoscaler;
  /** Position in the world's days. */
  readonly day: number;
  readonly stress?: Stress;
}

/** One specification on one day. */
export type DayScores = LoopFigures;

/** What became of a task. */
export type TuneOutcome =
  | { readonly ok: true; readonly scores: DayScores }
  | { readonly ok: false; readonly message: string };

/**
 * Makes the tasks of a batch, each with `evaluateTask`, and reports each outcome once, in any order: what is found does
 * not depend on it. It resolves when all are reported; after an interruption some may be missing.
 */
export type EvaluateBatch = (
  batch: { readonly world: TuneWorld; readonly tasks: readonly TuneTask[] },
  report: (index: number, outcome: TuneOutcome) => void,
) => Promise<void>;
