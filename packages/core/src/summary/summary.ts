// The summary of a decision: what it comes to, and the last step that changed the proposed replicas.
import type { Decision } from "../spec/decision.ts";
import { formatInstant } from "../time/rfc3339.ts";
import type { CombineTrace } from "../trace/step.ts";
import { heldByOf } from "./held-by.ts";
import { releaseMs } from "./release.ts";
import { stepOf } from "./step-of.ts";
import type { DecisionSummary, HeldBy } from "./types.ts";

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
