// What recomputing a decision gives.

/** What was taken for granted because it cannot be read. */
export interface Assumption {
  /** Such as "tolerance". */
  readonly about: string;
  readonly value: string;
  readonly why: string;
}

/**
 * How much the result depends on the past, which cannot be read. "a": nothing of the past holds. "b": the present
 * count holds. "c": as the events and the last scale tell.
 */
export type HistoryBound = "does-not-matter" | "a" | "b" | "c";
