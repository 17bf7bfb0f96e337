// What recomputing a decision gives.
import type { Decision, DecisionRecord, StatusComparison, UnknownHistoryResult } from "@plimsoll/core";

/** What was taken for granted because it cannot be read. */
export interface Assumption {
  /** Such as "tolerance". */
  readonly about: string;
  readonly value: string;
  readonly why: string;
  /** A flag of the controller, whose arguments cannot be read. */
  readonly isFlag?: true;
}

/** How much the result depends on the past, which cannot be read; see `decideWithUnknownHistory`. */
export type HistoryBound = UnknownHistoryResult["history"];

/** A decision made from what the API server shows now. */
export interface Recomputed {
  readonly isReadable: true;
  readonly record: DecisionRecord;
  readonly decision: Decision;
  readonly assumptions: readonly Assumption[];
  readonly comparison: StatusComparison;
  readonly history: HistoryBound;
  /** The replicas under each assumption about the past. */
  readonly desired: UnknownHistoryResult["desired"];
  readonly notes: readonly string[];
  /** What could not be read and is not a part of the decision, in the API server's words. */
  readonly errors: readonly string[];
}

/** The user may not read what the controller reads: any arithmetic would be another one. */
export interface NotRecomputed {
  readonly isReadable: false;
  /** In the API server's words. */
  readonly denied: readonly string[];
}
