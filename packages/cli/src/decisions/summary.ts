// The summary of a decision and its comparison with a status, until core exports them.
import type { DecisionDifference } from "@plimsoll/core";

/** The last step that changed the proposed count. */
export type HeldBy =
  | "tolerance"
  | "direction"
  | "stabilize"
  | "rate"
  | "cooldown"
  | "min"
  | "max"
  | "schedule"
  | "blocked"
  | "failed"
  | "disabled"
  | "selector"
  | "none";

export interface DecisionSummary {
  readonly current: number;
  readonly desired: number;
  /** Before windows and limits; null when no metric proposed. */
  readonly proposed: number | null;
  /** "none": nothing was decided. */
  readonly action: "scale" | "hold" | "none";
  readonly heldBy: HeldBy;
  /** Index in spec.metrics; null: no metric. */
  readonly decidedBy: number | null;
  /** RFC 3339; null: no time is known. */
  readonly notBefore: string | null;
}

export type Verdict = "agrees" | "moved" | "lagging" | "differs" | "not-comparable";

export interface StatusComparison {
  readonly verdict: Verdict;
  readonly difference: DecisionDifference | null;
  readonly assumptions: readonly string[];
}
