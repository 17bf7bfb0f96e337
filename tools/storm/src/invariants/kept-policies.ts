// Invariant: the policies of spec.behavior hold over the changes that were really written, also after a takeover.
import { applyPolicies } from "@plimsoll/core/steps";
import type { CreateInvariant, Outcome } from "../run/world.ts";
import { type Decided, isActive, keyOfDecided } from "./decisions.ts";
import { createScaleHistory } from "./scale-history.ts";

/**
 * Checked by the times of the decisions in the time of the simulation, since a write may take long on its way: whatever the clocks
 * of the processes say, a period is a length of time. A target outside of its bounds is brought back at once.
 */
export const keptPolicies: CreateInvariant = (world) => {
  const history = createScaleHistory(world);

  function problemOf(decided: Decided): Outcome {
    const { spec } = decided.input.hpa;
    const { behavior, minReplicas = 1, maxReplicas } = spec;
    const { scaleTo, currentReplicas, trace } = decided.result.decision;
    if (scaleTo === undefined || scaleTo === currentReplicas) return undefined;
    const isUp = scaleTo > currentReplicas;
    const isLimited = trace.some(({ kind }) => kind === "limit");
    if (!behavior || !isActive(decided) || !isLimited) return undefined;
    // From zero the minimum is applied after the policies.
    if (currentReplicas === 0 && scaleTo === minReplicas) return true;
    const { must, may } = history.eventsFor(decided, isUp);
    const { replicas } = applyPolicies({
      nowMs: world.time.nowMs,
      currentReplicas,
      desiredReplicas: scaleTo,
      minReplicas,
      maxReplicas,
      behavior,
      scaleUpEvents: isUp ? must : may,
      scaleDownEvents: isUp ? may : must,
    });
    if (isUp ? scaleTo <= replicas : scaleTo >= replicas) return true;
    return `${decided.process} scales ${keyOfDecided(decided)} from ${String(currentReplicas)} to ${String(scaleTo)}, and its policies allow ${String(replicas)}`;
  }

  return {
    name: "kept-policies",
    observe(observation) {
      if (observation.kind === "decided") history.begin(observation);
      const problem = observation.kind === "decided" ? problemOf(observation) : undefined;
      history.see(observation);
      return problem;
    },
  };
};
