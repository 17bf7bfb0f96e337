// The built-in controller's last decision, from the status of an HPA.
import type { ScalingObject } from "../objects/scaling-object.ts";

/** The part of an HPA's status that says what its controller decided last. */
export interface BuiltInState {
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  readonly lastScaleTime: string | undefined;
}

/** Undefined while no controller has written a status yet. */
export function builtInState(hpa: ScalingObject): BuiltInState | undefined {
  const { status } = hpa;
  if (status === undefined || (status.conditions ?? []).length === 0) return undefined;
  const { lastScaleTime } = status;
  return {
    currentReplicas: status.currentReplicas ?? 0,
    desiredReplicas: status.desiredReplicas ?? 0,
    lastScaleTime: typeof lastScaleTime === "object" ? lastScaleTime?.toISOString() : lastScaleTime,
  };
}
