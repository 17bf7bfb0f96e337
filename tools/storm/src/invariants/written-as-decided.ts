// Invariant: the replicas that a process writes are those that it decided on.
import type { CreateInvariant, Observed, Outcome } from "../run/world.ts";
import { type Decided, isActive, keyOfDecided, targetOfDecided } from "./decisions.ts";
import { evaluationManager, replicasOf, targetOfPath } from "./names.ts";

/** What holds for decisions (bounds, policies, missing data, modes) holds for the counts that are really written. */
export const writtenAsDecided: CreateInvariant = () => {
  /** By process and target, the replicas that the last decision of each object is to be carried out with. */
  const decisions = new Map<string, Map<string, number>>();

  function decide(decided: Decided): void {
    const key = `${decided.process} ${targetOfDecided(decided)}`;
    const ofTarget = decisions.get(key) ?? new Map<string, number>();
    decisions.set(key, ofTarget);
    const { scaleTo } = decided.result.decision;
    if (scaleTo === undefined || !isActive(decided)) ofTarget.delete(keyOfDecided(decided));
    else ofTarget.set(keyOfDecided(decided), scaleTo);
  }

  function ofRequest({ process, request }: Observed<"sent">): Outcome {
    const target = request.method === "GET" ? undefined : targetOfPath(request.path);
    if (target === undefined || request.query.get("fieldManager") !== evaluationManager) return undefined;
    const replicas = replicasOf(JSON.parse(request.body ?? "{}"));
    const decided = [...(decisions.get(`${process} ${target}`)?.values() ?? [])];
    if (decided.includes(replicas)) return true;
    return `${process} scales ${target} to ${replicas}, and its last decision is ${decided.join(" or ") || "not to scale"}`;
  }

  return {
    name: "written-as-decided",
    observe(observation) {
      if (observation.kind === "process" && observation.change === "started") {
        for (const key of decisions.keys())
          if (key.startsWith(`${observation.process} `)) decisions.delete(key);
      }
      if (observation.kind === "decided") decide(observation);
      return observation.kind === "sent" ? ofRequest(observation) : undefined;
    },
  };
};
