import type { ManageHpas } from "../options/config.ts";
import { modeAt } from "../wla/workload-autoscaler.ts";
import type { NativeHpa } from "./native-hpa.ts";

/** "active": we write; "shadow": we only decide, somebody else drives. */
export type Ownership = "active" | "shadow";

const managedAnnotation = "autoscaling.plimsoll.dev/managed";
const reclaimAnnotation = "autoscaling.plimsoll.dev/reclaim";

/** Who drives: of an HPA the process's mode and its annotation say so, a WorkloadAutoscaler says it itself. */
export function ownershipOf(hpa: NativeHpa, mode: ManageHpas, nowMs: number): Ownership {
  if (hpa.wla !== undefined) {
    return hpa.wla.problems.length === 0 && modeAt(hpa.wla, nowMs) === "Active" ? "active" : "shadow";
  }
  if (mode === "all") return "active";
  const isMarked = hpa.metadata.annotations?.[managedAnnotation] === "true";
  return mode === "annotated" && isMarked ? "active" : "shadow";
}

/** Any change of this text takes an object back that was left to another controller. */
export function reclaimOf(hpa: NativeHpa): string | undefined {
  return hpa.metadata.annotations?.[reclaimAnnotation];
}
