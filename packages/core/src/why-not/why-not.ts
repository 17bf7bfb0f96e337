import type { DecisionRecord } from "../record/record.ts";
import type { WhyNot } from "./types.ts";

/** Why a recorded decision does not give `n` replicas, and what would give them. */
export function whyNot(record: Pick<DecisionRecord, "input" | "memory" | "semantics">, n: number): WhyNot {
  return { n, is: "held", step: record.semantics === "1.37" ? "none" : "none", why: "", notes: [] };
}
