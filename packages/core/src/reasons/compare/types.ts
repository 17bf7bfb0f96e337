import type { RescaleEvent } from "./unknown-history.ts";

/** How a decision compares with the status that a controller wrote. */
export type Verdict = "agrees" | "moved" | "lagging" | "differs" | "not-comparable";

/** The first step at which a decision and a status part, with what each has there. */
export interface StatusDifference {
  readonly step: "scale" | "metrics" | "metric" | "stabilize" | "limit" | "result";
  /** Position in spec.metrics, for step "metric". */
  readonly metric?: number;
  readonly ours: string;
  readonly theirs: string;
}

/** A decision compared with a status. */
export interface StatusComparison {
  readonly verdict: Verdict;
  /** Null when they agree, or cannot be compared. */
  readonly difference: StatusDifference | null;
  /** With verdict "differs": the assumptions that could explain it. */
  readonly assumptions: readonly ExplainingAssumption[];
  /** The count of the status, and what the same rules give with the values of the status; null: not evaluated. */
  readonly theirs: { readonly desired: number; readonly recomputed: number | null } | null;
  /** Sentences: what "moved" rests on, or what cannot be compared. */
  readonly notes: readonly string[];
}

/** An assumption that, taken in another way, gives the count of the status. */
export interface ExplainingAssumption {
  /** Such as "tolerance", "downscale-stabilization", "semantics" or "history": the name of the flag that sets it. */
  readonly about: string;
  /** Such as ">= 0.15". */
  readonly value: string;
}

/** What else `compareWithStatus` takes. */
export interface CompareOptions {
  /** What may not be read, such as "pods": then nothing is comparable. */
  readonly notReadable?: readonly string[] | undefined;
  /** The history was not known: the status may rest on recommendations and scale events that are not in the memory. */
  readonly isHistoryUnknown?: boolean | undefined;
  /** The scale events that are known all the same. */
  readonly rescales?: readonly RescaleEvent[] | undefined;
}
