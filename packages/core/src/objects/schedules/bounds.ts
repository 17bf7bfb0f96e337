// Computes the bounds that count while schedules are active.
import type { ScheduleState } from "./state.ts";

/** The minimum and maximum of replicas. */
export interface ReplicaBounds {
  readonly minReplicas: number;
  readonly maxReplicas: number;
}

/**
 * The bounds that count while a state lasts: a floor raises the minimum, never past the maximum; a ceiling lowers
 * the maximum, and the minimum with it.
 */
export function boundsWith(
  bounds: ReplicaBounds,
  state: Pick<ScheduleState, "floor" | "ceiling">,
): ReplicaBounds {
  const maxReplicas = Math.min(bounds.maxReplicas, state.ceiling ?? bounds.maxReplicas);
  const minReplicas = Math.max(bounds.minReplicas, state.floor ?? bounds.minReplicas);
  return { minReplicas: Math.min(minReplicas, maxReplicas), maxReplicas };
}
