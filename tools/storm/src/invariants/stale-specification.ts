// Invariant: decisions are about the specification that is stored.
import { isDeepStrictEqual } from "node:util";
import { wlaDefinition } from "@plimsoll/core/internal/objects";
import type { CreateInvariant, Observed, Outcome } from "../run/world.ts";
import { createCalm } from "./calm.ts";
import { type Decided, keyOfDecided, storedOfDecided, uidOfDecided } from "./decisions.ts";
import { hpaResource } from "./names.ts";

/** A watch that is silent ends after 90 s; half a minute later it believes an API server that was restored. */
const limitMs = 3 * 60_000;

/** When nothing has disturbed a process for some minutes, it decides on objects as they are. */
export const staleSpecification: CreateInvariant = (world) => {
  const { time } = world;
  const calm = createCalm(world);
  const changedMs = new Map<string, number>();
  return {
    name: "stale-specification",
    observe(observation) {
      calm.observe(observation);
      if (observation.kind === "written") follow(observation);
      return observation.kind === "decided" && calm.forMs() >= limitMs ? ofDecision(observation) : undefined;
    },
  };

  function ofDecision(decided: Decided): Outcome {
    const { process, input } = decided;
    const { kind = "" } = input.hpa;
    const since = changedMs.get(uidOfDecided(decided)) ?? Number.NEGATIVE_INFINITY;
    if (time.nowMs - since < limitMs) return undefined;
    const key = keyOfDecided(decided);
    const stored = storedOfDecided(world, decided);
    if (stored === undefined) return `${process} decides on ${key}, which is gone`;
    const isSame = isDeepStrictEqual(partsOf(input.hpa.spec, kind), partsOf(stored.spec as Spec, kind));
    return isSame ? true : `${process} decides on a former specification of ${key}`;
  }

  function follow({ event: { resource, type, object, previous } }: Observed<"written">): void {
    if (resource !== hpaResource && resource !== wlaDefinition) return;
    if (type !== "DELETED" && isDeepStrictEqual(object.spec, previous?.spec)) return;
    changedMs.set(object.metadata.uid ?? "", time.nowMs);
  }
};

type Spec = Decided["input"]["hpa"]["spec"];

/** What both forms have: bounds of a WorkloadAutoscaler follow its schedules, and its metrics have policies. */
function partsOf({ scaleTargetRef, maxReplicas, minReplicas, metrics }: Spec, kind: string): unknown {
  if (kind === "WorkloadAutoscaler") return [scaleTargetRef.name, metrics?.length ?? 0];
  return [scaleTargetRef.name, maxReplicas, minReplicas ?? 1, metrics?.length ?? 0];
}
