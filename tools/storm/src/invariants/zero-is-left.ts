// Invariant: what a process scaled to zero, it scales up again.
import { defaultOptions, leavesZeroByCondition } from "@plimsoll/core";
import type { CreateInvariant, Observation, Observed, Outcome } from "../run/world.ts";
import { type Decided, isActive, keyOfDecided, storedOfDecided, uidOfDecided } from "./decisions.ts";
import { isAutoscaler } from "./names.ts";

/**
 * A process that scaled a target to zero, and knows that it did, never takes that zero for one that a person set. What it knows
 * ends with the process, with its ownership, with the object, and where another client writes the replicas.
 */
export const zeroIsLeft: CreateInvariant = (world) => {
  const { autoscalers, cluster } = world;
  /** By object, the process that scaled its target to zero. */
  const zeros = new Map<string, { readonly process: string; readonly uid: string | undefined }>();
  const uids = new Map<string, string | undefined>();
  cluster.onRestore(() => zeros.clear());
  return {
    name: "zero-is-left",
    observe(observation) {
      if (observation.kind === "process" || isLoss(observation)) {
        for (const [key, { process }] of zeros) if (process === observation.process) zeros.delete(key);
      }
      if (observation.kind === "written" && isReplicasOfOther(observation)) zeros.clear();
      if (observation.kind === "logged" && observation.message === "scaled") {
        const key = String(observation.fields["hpa"]);
        if (observation.fields["to"] === 0)
          zeros.set(key, { process: observation.process, uid: uids.get(key) });
        else zeros.delete(key);
      }
      return observation.kind === "decided" ? ofDecision(observation) : undefined;
    },
  };

  function ofDecision(decided: Decided): Outcome {
    const { process, input, result } = decided;
    const key = keyOfDecided(decided);
    const uid = uidOfDecided(decided);
    uids.set(key, uid);
    const zero = zeros.get(key);
    if (zero === undefined) return undefined;
    const isOwn =
      zero.process === process && zero.uid === uid && autoscalers.get(process)?.owns(key) === true;
    const isOn = isActive(decided) && input.options?.scaleToZero !== false && !isLeftByMinimum(decided);
    // A write of the status shows that the object is gone before the watch does, and what is known of it ends with it.
    const isGone = storedOfDecided(world, decided) === undefined;
    if (!isOwn || isGone || !isOn) {
      zeros.delete(key);
      return undefined;
    }
    const isDisabled = result.decision.trace.some(
      (step) => step.kind === "disabled" && step.isBySchedule !== true,
    );
    return isDisabled ? `${process} scaled ${key} to zero, and takes that for the work of a person` : true;
  }
};

/** Before Kubernetes 1.36 nothing but a minimum of zero says that a target at zero is not switched off. */
function isLeftByMinimum({ input: { hpa, options } }: Decided): boolean {
  const { semantics = defaultOptions.semantics } = options ?? {};
  return !leavesZeroByCondition(semantics) && hpa.spec.minReplicas !== 0;
}

function isLoss(observation: Observation): observation is Observed<"logged"> {
  return observation.kind === "logged" && observation.message === "objects lost";
}

/** Another client wrote the replicas of a workload. */
function isReplicasOfOther({ writer, event }: Observed<"written">): boolean {
  if (isAutoscaler(writer) || !/^(deployments|statefulsets)\./.test(event.resource)) return false;
  return replicasOf(event.object) !== replicasOf(event.previous);
}

function replicasOf(object: { readonly spec?: unknown } | undefined): unknown {
  return (object?.spec as { readonly replicas?: number } | undefined)?.replicas;
}
