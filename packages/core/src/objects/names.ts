// Names in the API of the project, which several packages read or write.

/** The API group of the kinds that we define. */
export const group = "autoscaling.plimsoll.dev";
export const wlaDefinition = `workloadautoscalers.${group}`;
export const metricRuleDefinition = `metricrules.${group}`;
export const cronHpaKind = "CronHorizontalPodAutoscaler";

/** Annotations of HPAs: managed by us, taken back from another controller, and the bounds before a schedule. */
export const managedAnnotation = `${group}/managed`;
export const reclaimAnnotation = `${group}/reclaim`;
export const boundsAnnotation = `${group}/schedule-bounds`;

/** The fields of an HPA that schedules move. */
export const boundsFields = ["minReplicas", "maxReplicas"] as const;

/** The field manager that writes bounds of HPAs that follow schedules. */
export const scheduleManager = "plimsoll-schedules";
