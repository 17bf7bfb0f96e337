// In which state an object is after a decision: one of a few, so that many objects can be counted.
import type { DecisionSummary, HeldBy } from "./types.ts";

/** What the objects of a list are counted as, in the order in which a person reads it. */
export const summaryStates = ["steady", "moving", "held", "limited", "failed", "disabled"] as const;
export type SummaryState = (typeof summaryStates)[number];

/** The state while nothing is scaled, by what holds the replicas. The bounds of a schedule are bounds. */
const states: Readonly<Record<HeldBy, SummaryState>> = {
  none: "steady",
  tolerance: "steady",
  direction: "held",
  stabilize: "held",
  rate: "held",
  cooldown: "held",
  min: "limited",
  max: "limited",
  schedule: "limited",
  failed: "failed",
  blocked: "failed",
  selector: "failed",
  disabled: "disabled",
};

/** One of them counts the object: what scales is moving, to a limit too, unless the scaling failed. */
export function summaryState({ action, heldBy }: Pick<DecisionSummary, "action" | "heldBy">): SummaryState {
  const state = states[heldBy];
  return action === "scale" && state !== "failed" ? "moving" : state;
}
