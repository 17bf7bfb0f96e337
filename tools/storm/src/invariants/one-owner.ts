// Invariant: an object has one owner at most.
import { coordinationKind } from "../faults/coordination-changes.ts";
import { crowdNamespace } from "../objects/crowd.ts";
import type { CreateInvariant, Observation, Observed } from "../run/world.ts";
import type { Setup } from "../scenario/scenario.ts";
import { createCalm } from "./calm.ts";
import { isAutoscaler, keyOfObject, leaseResource } from "./names.ts";

/**
 * Leases that came back with a restored etcd, or that of a leader that was given to another process by hand, name owners that
 * are none any more. Who was not there before, or could not read, does not know of the leader whose lease was removed.
 */
const settleMs = 60_000;

/** Two processes never may write about one object at the same moment. */
export const oneOwner: CreateInvariant = (world) => {
  const { autoscalers, cluster, scenario, time } = world;
  const { coordination } = scenario.setup;
  // Processes with another number of shards know nothing of each other but by the lease of all of them.
  const isChanged = scenario.events.some(({ kind }) => kind === coordinationKind);
  const isDivided = coordination === "shards" && !isChanged;
  const calm = createCalm(world, { sudden: /restore|compact/ });
  const keys = ownedKeys(scenario.setup);
  let settledMs = Number.NEGATIVE_INFINITY;
  cluster.onRestore(() => (settledMs = time.nowMs + settleMs));
  return {
    name: "one-owner",
    observe(observation) {
      calm.observe(observation);
      if (coordination === "alone" || !isOccasion(observation)) return undefined;
      if (observation.kind === "written" && isUnsettling(observation)) settledMs = time.nowMs + settleMs;
      if (time.nowMs < settledMs) return undefined;
      for (const key of keys) if (ownersOf(key) > 1) return `${key} is owned by ${namesOfOwners(key)}`;
      return true;
    },
  };

  /** Counted without a list: it is asked of every object at every occasion. */
  function ownersOf(key: string): number {
    let count = 0;
    for (const autoscaler of autoscalers.values()) if (autoscaler.owns(key)) count += 1;
    return count;
  }

  function namesOfOwners(key: string): string {
    const owners = [...autoscalers].filter(([, autoscaler]) => autoscaler.owns(key));
    return owners.map(([name]) => name).join(" and ");
  }

  /** Removing a lease gives it to no process. Whatever is done to the leases of shards, none of these has two owners. */
  function isUnsettling({ writer, event }: Observed<"written">): boolean {
    if (isAutoscaler(writer) || isDivided) return false;
    return event.type !== "DELETED" || calm.forMs() < settleMs;
  }
};

/** Of all objects that have an owner; a crowd would add nothing but its time. */
export function ownedKeys({ objects }: Pick<Setup, "objects">): readonly string[] {
  return objects.flatMap(({ kind, metadata: { name, namespace = "" } }) => {
    const isEvaluated = kind === "HorizontalPodAutoscaler" || kind === "WorkloadAutoscaler";
    return isEvaluated && namespace !== crowdNamespace ? [keyOfObject(kind, namespace, name)] : [];
  });
}

function isOccasion(observation: Observation): boolean {
  if (observation.kind === "decided" || observation.kind === "logged") return true;
  return observation.kind === "written" && observation.event.resource === leaseResource;
}
