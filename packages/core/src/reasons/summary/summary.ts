// The summary of a decision: what it comes to, and the last step that changed the proposed replicas.
import type { Decision } from "../../objects/decision.ts";
import type { CombineTrace } from "../../objects/trace/step.ts";
import { formatInstant } from "../../values/time/rfc3339.ts";
import { heldByOf } from "./held-by.ts";
import { releaseMs } from "./release.ts";
import { stepOf } from "./step-of.ts";
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

/**
 * What a decision comes to, from its trace: the one definition for command line, console and metrics. `decide` does
 * not read it.
 */
export function summarize(decision: Decision): DecisionSummary {
  const { trace, currentReplicas: current, scaleTo } = decision;
  const heldBy = heldByOf(decision);
  const combined = stepOf(trace, "combine");
  const ms = releaseMs(decision, heldBy);
  return {
    current,
    desired: scaleTo ?? current,
    proposed: combined === undefined ? null : proposedOf(combined),
    action: scaleTo === undefined ? unscaled(heldBy) : "scale",
    heldBy,
    decidedBy: combined?.result === undefined ? null : (combined.winner ?? null),
    notBefore: ms === undefined ? null : formatInstant(ms),
  };
}

/** The highest proposal, also when a failed metric forbids to follow it. */
function proposedOf({ result, winner, proposals }: CombineTrace): number | null {
  return result ?? proposals.find(({ index }) => index === winner)?.replicas ?? null;
}

function unscaled(heldBy: HeldBy): "hold" | "none" {
  return heldBy === "failed" || heldBy === "disabled" || heldBy === "selector" ? "none" : "hold";
}
