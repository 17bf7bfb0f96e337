// Invariant: an object has one owner at most.
import type { CreateInvariant, Observation } from "../run/world.ts";

/** Leases that came back with a restored etcd, or that were given to someone by hand, name owners that are none any more. */
const settleMs = 60_000;

/** Two processes never may write about one object at the same moment. */
export const oneOwner: CreateInvariant = ({ autoscalers, cluster, scenario, time }) => {
  const keys = scenario.setup.objects.flatMap(({ kind, metadata: { name, namespace = "" } }) => {
    if (kind === "HorizontalPodAutoscaler") return [`${namespace}/${name}`];
    return kind === "WorkloadAutoscaler" ? [`${namespace}/wla:${name}`] : [];
  });
  let settledMs = Number.NEGATIVE_INFINITY;
  cluster.onRestore(() => (settledMs = time.nowMs + settleMs));
  return {
    name: "one-owner",
    observe(observation) {
      if (scenario.setup.coordination === "alone" || !isOccasion(observation)) return undefined;
      if (observation.kind === "written" && isByHand(observation)) settledMs = time.nowMs + settleMs;
      if (time.nowMs < settledMs) return undefined;
      for (const key of keys) {
        const owners = [...autoscalers].filter(([, autoscaler]) => autoscaler.owns(key));
        if (owners.length > 1) return `${key} is owned by ${owners.map(([name]) => name).join(" and ")}`;
      }
      return undefined;
    },
  };
};

function isOccasion(observation: Observation): boolean {
  if (observation.kind === "decided" || observation.kind === "logged") return true;
  return observation.kind === "written" && observation.event.resource === "leases.coordination.k8s.io";
}

/** Removing a lease gives it to nobody. */
function isByHand({ writer, event }: Extract<Observation, { kind: "written" }>): boolean {
  return event.type !== "DELETED" && !writer.startsWith("autoscaler-");
}
