// Decides by --manage-hpas and annotations which HPAs are managed, and which are in shadow.
import { managedAnnotation, reclaimAnnotation } from "@plimsoll/core/internal/objects";
import type { ScalingObject } from "./scaling-object.ts";
import { modeAt } from "./wla-extras.ts";

/** Which HPAs this process manages; the others are in shadow. */
export type ManageHpas = "none" | "annotated" | "all";

/** "active": we write; "shadow": we only decide, and another controller manages the object, or none. */
export type Ownership = "active" | "shadow";

/** Who manages: of an HPA the process's mode and its annotation say so, a WorkloadAutoscaler says it itself. */
export function ownershipOf(hpa: ScalingObject, mode: ManageHpas, nowMs: number): Ownership {
  if (hpa.kind === "WorkloadAutoscaler")
    return hpa.wla.problems.length === 0 && modeAt(hpa.wla, nowMs) === "Active" ? "active" : "shadow";
  if (mode === "all") return "active";
  const isMarked = hpa.metadata.annotations?.[managedAnnotation] === "true";
  return mode === "annotated" && isMarked ? "active" : "shadow";
}

/** Any change of this text takes an object back that was left to another controller. */
export function reclaimOf(hpa: ScalingObject): string | undefined {
  return hpa.metadata.annotations?.[reclaimAnnotation];
}
