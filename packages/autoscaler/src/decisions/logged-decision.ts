// A decision as the decision log shows it.
import type { AppliedDecision, Decision, Verdict } from "@plimsoll/core";
import type { Ownership } from "../objects/ownership.ts";
import type { BuiltInState } from "../shadow/built-in.ts";

/** Resources of the objects that are decided on. */
export type DecisionResource = "horizontalpodautoscalers" | "workloadautoscalers";

/** One decision and what became of it. */
export interface LoggedDecision {
  /** RFC 3339. */
  readonly at: string;
  readonly resource: DecisionResource;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly mode: Ownership;
  readonly applied: AppliedDecision["outcome"];
  readonly decision: Decision;
  /** Pods and values that the trace would have besides: it was too long to be kept. */
  readonly leftOut?: number;
  /** In shadow because of it: the other writer that was found. */
  readonly yieldedTo?: string;
  /** In shadow: what the controller that manages the object last wrote about it. */
  readonly builtIn?: BuiltInState;
  /** In shadow: how that compares with what was decided here. */
  readonly verdict?: Verdict;
}
