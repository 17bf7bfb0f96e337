import { applyPolicies, type DecideInput, type HpaMemory } from "@plimsoll/core";

/**
 * How much of a floor is reached at once: it is approached as fast as the policies of scaleUp let the count rise, as
 * any metric's proposal would be. Below the count that there is, it is a lower bound like minReplicas.
 */
export function reachableFloor(floor: number, input: DecideInput, memory: HpaMemory | undefined): number {
  const { scale, hpa, nowMs } = input;
  if (!scale.ok || floor <= scale.specReplicas) return floor;
  const currentReplicas = scale.specReplicas;
  const { minReplicas, maxReplicas, behavior } = hpa.spec;
  return applyPolicies({
    nowMs,
    currentReplicas,
    desiredReplicas: floor,
    minReplicas,
    maxReplicas,
    behavior,
    scaleUpEvents: memory?.scaleUpEvents,
    scaleDownEvents: memory?.scaleDownEvents,
  }).replicas;
}
