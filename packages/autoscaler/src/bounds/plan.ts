import type { ReplicaBounds, ScheduleState } from "@plimsoll/core";
import { type BoundsField, boundsFields, type Held, heldText, type SomeBounds } from "./held.ts";

/** What schedules ask of an HPA. */
export interface Demand {
  /** Name of the WorkloadAutoscaler. */
  readonly by: string;
  /** Its own bounds: the HPA's are moved inside of them only. */
  readonly outer: ReplicaBounds;
  readonly state: Pick<ScheduleState, "floor" | "ceiling">;
}

export interface BoundsPlan {
  /** The HPA's bounds as its user wrote them. */
  readonly own: ReplicaBounds;
  /** As they are to be. */
  readonly wanted: ReplicaBounds;
  readonly action:
    | { readonly kind: "none" }
    /** Write these, and the annotation with them. */
    | { readonly kind: "hold"; readonly held: Held }
    /** Write these back, and take the annotation away. */
    | { readonly kind: "restore"; readonly spec: SomeBounds };
  /** Fields that somebody else has written while they were held. */
  readonly edited: readonly BoundsField[];
  /** All of these are back at what the user had: somebody undoes what we do. */
  readonly isUndone: boolean;
}

/** What is to be done about an HPA's bounds. What is not what we wrote is the user's, from then on. */
export function planBounds(o: {
  readonly live: ReplicaBounds;
  readonly held: Held | undefined;
  readonly hasAnnotation: boolean;
  readonly demand: Demand | undefined;
}): BoundsPlan {
  const { live, held, demand } = o;
  const isOurs = (field: BoundsField) => held?.set[field] !== undefined && live[field] === held.set[field];
  const ownOf = (field: BoundsField) => (isOurs(field) ? (held?.own[field] ?? live[field]) : live[field]);
  const own = { minReplicas: ownOf("minReplicas"), maxReplicas: ownOf("maxReplicas") };
  const wanted = demand === undefined ? own : movedBounds(own, demand);
  const edited = boundsFields.filter((field) => held?.set[field] !== undefined && !isOurs(field));
  const isUndone = edited.length > 0 && edited.every((field) => live[field] === held?.own[field]);
  return { own, wanted, action: action(), edited, isUndone };

  function action(): BoundsPlan["action"] {
    const isMoved = boundsFields.some((field) => wanted[field] !== own[field]);
    if (demand === undefined || !isMoved) {
      if (!o.hasAnnotation) return { kind: "none" };
      return { kind: "restore", spec: pick(own, isOurs) };
    }
    // A field that was ours stays in: left out of what we apply, it would be removed.
    const isIncluded = (field: BoundsField) => wanted[field] !== own[field] || isOurs(field);
    const next = { by: demand.by, own: pick(own, isIncluded), set: pick(wanted, isIncluded) };
    const isDone =
      held !== undefined &&
      heldText(held) === heldText(next) &&
      boundsFields.every((field) => live[field] === wanted[field]);
    return isDone ? { kind: "none" } : { kind: "hold", held: next };
  }
}

/**
 * The bounds while schedules hold. A floor raises the minimum, and the maximum where that lies below; a ceiling lowers
 * the maximum, and the minimum where that lies above. What is moved stays inside the outer bounds.
 */
export function movedBounds(
  own: ReplicaBounds,
  { outer, state }: Pick<Demand, "outer" | "state">,
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

function pick(bounds: ReplicaBounds, isIncluded: (field: BoundsField) => boolean): SomeBounds {
  return Object.fromEntries(boundsFields.filter(isIncluded).map((field) => [field, bounds[field]]));
}
