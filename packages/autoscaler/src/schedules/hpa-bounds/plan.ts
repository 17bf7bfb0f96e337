// Plans the bounds of an HPA: those of its schedules, or the saved ones.

import { movedBounds } from "@plimsoll/calendars";
import type { ReplicaBounds, ScheduleState } from "@plimsoll/core";
import { boundsFields } from "@plimsoll/core/internal/objects";
import type { BoundsState } from "./live-hpa.ts";
import { type BoundsField, type SavedBounds, type SomeBounds, savedText } from "./saved-bounds.ts";

/** What schedules want of an HPA. */
export interface BoundsRequest {
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
    | { readonly kind: "move"; readonly saved: SavedBounds }
    /** Write these back, and take the annotation away. */
    | { readonly kind: "restore"; readonly spec: SomeBounds };
  /** Fields that another client wrote while they were moved. */
  readonly edited: readonly BoundsField[];
  /** All of these are back at what the user had: another client undoes what we do. */
  readonly isUndone: boolean;
}

/** What is to be done about an HPA's bounds. What is not what we wrote, or was written after us, is the user's, from then on. */
export function planBounds({
  live,
  saved,
  hasAnnotation,
  lost,
  request,
}: BoundsState & { readonly request: BoundsRequest | undefined }): BoundsPlan {
  const isAsSet = (field: BoundsField) => saved?.set[field] !== undefined && live[field] === saved.set[field];
  const isOurs = (field: BoundsField) => isAsSet(field) && !lost.includes(field);
  const ownOf = (field: BoundsField) => (isOurs(field) ? (saved?.own[field] ?? live[field]) : live[field]);
  const own = ordered({ minReplicas: ownOf("minReplicas"), maxReplicas: ownOf("maxReplicas") });
  const wanted = request === undefined ? own : movedBounds(own, request);
  const edited = boundsFields.filter((field) => saved?.set[field] !== undefined && !isAsSet(field));
  const isUndone = edited.length > 0 && edited.every((field) => live[field] === saved?.own[field]);
  return { own, wanted, action: action(), edited, isUndone };

  /** What the user wrote while the other was moved counts; the other, which the API server refuses beside it, follows. */
  function ordered({ minReplicas, maxReplicas }: ReplicaBounds): ReplicaBounds {
    if (minReplicas <= maxReplicas) return { minReplicas, maxReplicas };
    const one = isOurs("minReplicas") ? maxReplicas : minReplicas;
    return { minReplicas: one, maxReplicas: one };
  }

  function action(): BoundsPlan["action"] {
    const isMoved = boundsFields.some((field) => wanted[field] !== own[field]);
    if (request === undefined || !isMoved) {
      if (!hasAnnotation) return { kind: "none" };
      return { kind: "restore", spec: pick(own, isOurs) };
    }
    // A field that was ours stays in: left out of what we apply, it would be removed.
    const isIncluded = (field: BoundsField) => wanted[field] !== own[field] || isOurs(field);
    const next = { by: request.by, own: pick(own, isIncluded), set: pick(wanted, isIncluded) };
    const isDone =
      saved !== undefined &&
      savedText(saved) === savedText(next) &&
      boundsFields.every((field) => live[field] === wanted[field]);
    return isDone ? { kind: "none" } : { kind: "move", saved: next };
  }
}

function pick(bounds: ReplicaBounds, isIncluded: (field: BoundsField) => boolean): SomeBounds {
  return Object.fromEntries(boundsFields.filter(isIncluded).map((field) => [field, bounds[field]]));
}
