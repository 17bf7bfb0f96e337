// Reasons and messages of the conditions AbleToScale and ScalingLimited.

/** Reasons of AbleToScale and ScalingLimited, with the messages that go with them. */
export const stabilizationMessages = {
  ReadyForNewScale: "recommended size matches current size",
  ScaleDownStabilized:
    "recent recommendations were higher than current one, applying the highest recent recommendation",
  ScaleUpStabilized:
    "recent recommendations were lower than current one, applying the lowest recent recommendation",
} as const;

/** Reason of the condition AbleToScale after stabilization. */
export type StabilizationReason = keyof typeof stabilizationMessages;

/** Messages of the condition ScalingLimited, by reason. */
export const limitMessages = {
  DesiredWithinRange: "the desired count is within the acceptable range",
  ScaleUpLimit: "the desired replica count is increasing faster than the maximum scale rate",
  ScaleDownLimit: "the desired replica count is decreasing faster than the maximum scale rate",
  TooManyReplicas: "the desired replica count is more than the maximum replica count",
  TooFewReplicas: "the desired replica count is less than the minimum replica count",
} as const;

/** Reason of the condition ScalingLimited. */
export type LimitReason = keyof typeof limitMessages;
