// What the text of an explanation is made from.
import { type Decision, type DecisionSummary, headLine, summarize } from "@plimsoll/core";
import type { Explained } from "../decisions/source.ts";

/** A decision with what belongs to it. */
export interface Facts {
  readonly explained: Explained;
  readonly decision: Decision;
  readonly summary: DecisionSummary;
  readonly nowMs: number;
}

export function factsOf(explained: Explained & { readonly decision: Decision }, nowMs: number): Facts {
  const { decision } = explained;
  return { explained, decision, summary: summarize(decision), nowMs };
}

/** "6 replicas, would go to 8: cpu proposes 8". */
export function sentenceOf({ decision, explained, nowMs }: Facts): string {
  return headLine(decision, { atMs: nowMs, isRecomputed: explained.source === "recomputed" });
}
