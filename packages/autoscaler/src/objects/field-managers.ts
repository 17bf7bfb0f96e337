// The field managers under which this program writes, as the API server records them.

/** Evaluations. */
export const fieldManager = "plimsoll-autoscaler";
/** Jobs of CronHorizontalPodAutoscalers. */
export const cronHpaManager = "plimsoll-cronhpa";
/** Bounds of HPAs that follow schedules. */
export const scheduleManager = "plimsoll-schedules";

/**
 * Whether a writer is another part of this program that an operator enabled, and no foreign writer. `fieldManager`
 * itself is none: evaluations never overwrite each other, so that one is another installation.
 */
export function isSibling(manager: string): boolean {
  return manager === cronHpaManager || manager === scheduleManager;
}
