// Applies a CronHorizontalPodAutoscaler's target size to the bounds of an HPA.

/** An HPA's bounds and count, and the size that a CronHorizontalPodAutoscaler's job sets. */
export interface CronTarget {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** hpa.status.currentReplicas. */
  readonly currentReplicas: number;
  readonly targetSize: number;
}

/** What a job does to the bounds of an HPA and to its replicas. */
export interface CronTargetResult {
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** Write this to the scale of the HPA's own target; undefined: leave it. */
  readonly scaleTo: number | undefined;
}

/** What a due job does to the HPA it points at: bounds first, then the count, upwards only. */
export function applyCronTarget(target: CronTarget): CronTargetResult {
  const { currentReplicas, targetSize } = target;
  const maxReplicas = Math.max(target.maxReplicas, targetSize);
  const isBelow = currentReplicas < targetSize;
  // A job may lower the floor, but raises it only where there is something to scale.
  const minReplicas = isBelow ? targetSize : Math.min(target.minReplicas, targetSize);
  return { minReplicas, maxReplicas, scaleTo: isBelow ? targetSize : undefined };
}
