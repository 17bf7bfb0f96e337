// What a query compiles to.
import type { Span } from "@plimsoll/prometheus/tree";
import type { LabelSet } from "../labels.ts";
import type { LiveSeries, Points } from "./series.ts";

/** A compiled query. It holds no samples, and runs over any. */
export interface Plan {
  /** As it was written. */
  readonly query: string;
  readonly selectors: readonly Selector[];
  /** The longest range of a selector in milliseconds; 0 when the query reads newest values only. */
  readonly longestRangeMs: number;
  readonly result: Step;
}

export interface Selector {
  /** Its place in `selectors`. */
  readonly index: number;
  /** As it was written, without its range. */
  readonly text: string;
  /** The only name that it matches; undefined when there is none such. */
  readonly name: string | undefined;
  /** 0 when it reads the newest value. */
  readonly rangeMs: number;
  /** Whether series of this name can match. */
  matchesName(name: string): boolean;
  matches(labels: LabelSet, work?: Work): boolean;
}

/** What matching may still take, in characters times the instructions that run for each. */
export interface Work {
  /** Below 0: nothing matches any more. */
  left: number;
}

/** One series of a result. */
export interface Row {
  readonly labels: LabelSet;
  readonly value: number;
}

/** A part of a query that is ready to run. */
export type Step =
  | { readonly type: "vector"; readonly rows: (run: Run) => readonly Row[] }
  | { readonly type: "scalar"; readonly value: (run: Run) => number }
  | { readonly type: "matrix"; readonly selector: Selector };

export type VectorStep = Extract<Step, { type: "vector" }>;
export type ScalarStep = Extract<Step, { type: "scalar" }>;

/** One evaluation. */
export interface Run {
  readonly atMs: number;
  readonly lookbackMs: number;
  seriesOf(selector: Selector): readonly LiveSeries[];
  /** Reused by every series. */
  readonly points: Points;
  /** Counts rows that a step has made. @throws EvaluationError above the limit */
  spend(rows: number): void;
}

/**
 * - `Duplicate`: two series of a result have the same labels.
 * - `Match`: operands match many to many, or many to one without group_left and group_right.
 * - `TooMuch`: a limit of the evaluation is reached.
 */
export type EvaluationReason = "Duplicate" | "Match" | "TooMuch";

/** Ends an evaluation. Never leaves this folder. */
export class EvaluationError extends Error {
  readonly reason: EvaluationReason;

  constructor(reason: EvaluationReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Why a query cannot be compiled, and where that is, in UTF-16 code units. */
export interface PlanRefusal extends Span {
  readonly ok: false;
  readonly message: string;
}
