// Invariant: no process scales down what the stabilization window of a former one forbids.
import type { CreateInvariant } from "../run/world.ts";
import { isActive, uidOfDecided } from "./decisions.ts";
import { windowOf } from "./kept-window.ts";

/** A recommendation that a process made, whatever became of that process. */
interface Recommended {
  readonly process: string;
  readonly atMs: number;
  /** Not below this within the window: what was recommended, or the replicas that it left if these are fewer. */
  readonly floor: number;
  /** The shortest one since. */
  windowMs: number;
}

/** Clocks that are slewed, and times that are cut to seconds. */
const precisionMs = 2000;

/**
 * The recommendations of all processes count as if one had made them. Who finds other replicas than the last process left
 * knows no former ones: a person set them, or the write was lost.
 */
export const formerWindow: CreateInvariant = ({ time }) => {
  const known = new Map<string, { replicas: number; recommended: Recommended[] }>();
  return {
    name: "former-window",
    observe(observation) {
      if (observation.kind !== "decided" || !observation.input.scale.ok) return undefined;
      const { process, input, result } = observation;
      const { specReplicas } = input.scale as { readonly specReplicas: number };
      const uid = uidOfDecided(observation);
      if (!isActive(observation)) {
        known.delete(uid);
        return undefined;
      }
      const { scaleTo = specReplicas, trace } = result.decision;
      const windowMs = windowOf(input);
      const before = known.get(uid);
      const recommended = (before?.replicas === specReplicas ? before.recommended : []).filter((one) => {
        one.windowMs = Math.min(one.windowMs, windowMs);
        return time.nowMs - one.atMs < one.windowMs - precisionMs;
      });
      const newest = result.memory.recommendations.at(-1);
      if (newest?.atMs === input.nowMs)
        recommended.push({ process, atMs: time.nowMs, floor: Math.min(newest.replicas, scaleTo), windowMs });
      known.set(uid, { replicas: scaleTo, recommended });
      const former = recommended.filter((one) => one.process !== process);
      if (former.length === 0 || !trace.some(({ kind }) => kind === "stabilize")) return undefined;
      const forbidden = former.find(({ floor }) => scaleTo < Math.min(specReplicas, floor));
      if (forbidden === undefined) return true;
      return `${process} scales ${input.hpa.metadata?.name} from ${specReplicas} to ${scaleTo}, and ${forbidden.process} recommended ${forbidden.floor} ${time.nowMs - forbidden.atMs} ms before`;
    },
  };
};
