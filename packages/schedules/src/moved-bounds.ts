// The bounds of an HPA while schedules hold.
import type { ReplicaBounds, ScheduleState } from "@plimsoll/core";

/**
 * The bounds while schedules hold. A floor raises the minimum, and the maximum where that lies below; a ceiling lowers
 * the maximum, and the minimum where that lies above. What is moved stays inside the outer bounds.
 */
export function movedBounds(
  own: ReplicaBounds,
  {
    outer,
    state,
  }: { readonly outer: ReplicaBounds; readonly state: Pick<ScheduleState, "floor" | "ceiling"> },
): ReplicaBounds {
  const { floor = 0, ceiling = Number.POSITIVE_INFINITY } = state;
  const inside = (count: number) =>
    Math.min(Math.max(count, outer.minReplicas), Math.max(outer.maxReplicas, outer.minReplicas));
  const moved = (from: number, to: number) => (from === to ? from : inside(to));
  const minReplicas = moved(own.minReplicas, Math.min(Math.max(own.minReplicas, floor), ceiling));
  const maxReplicas = moved(own.maxReplicas, Math.max(Math.min(own.maxReplicas, ceiling), minReplicas));
  // No HPA has a maximum of 0, nor one below its minimum; where the outer bounds allow no other, it stays.
  const least = Math.max(maxReplicas, minReplicas, 1);
  return { minReplicas, maxReplicas: least === inside(least) ? least : own.maxReplicas };
}
