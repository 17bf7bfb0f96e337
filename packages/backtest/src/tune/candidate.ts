// One specification that is tried, and in what it differs from that of today.
import type { Autoscaler } from "@plimsoll/simulator";

/** What a candidate may change. */
export const parameterNames = [
  "target",
  "minReplicas",
  "maxReplicas",
  "scaleDownWindow",
  "scaleUpWindow",
  "scaleDownPolicies",
  "scaleUpPolicies",
  "toleranceDown",
  "toleranceUp",
  "floor",
] as const;

/** Name of a parameter. Windows are in seconds, a floor is a quantile of the highest minutes of its slots. */
export type ParameterName = (typeof parameterNames)[number];

/**
 * A value of a parameter. Targets are in the unit of their metric (percent of utilization, otherwise the amount), names
 * are those of policies ("default", "double-a-minute", …) and "none" for no floor.
 */
export type ParameterValue = number | string;

/** A value for each parameter that can be varied. */
export type Parameters = Readonly<Partial<Record<ParameterName, ParameterValue>>>;

/** One parameter that is not as it is today. */
export interface ParameterChange {
  readonly parameter: ParameterName;
  readonly from: ParameterValue;
  readonly to: ParameterValue;
}

/** A specification that is tried. */
export interface Candidate {
  /** 0 is today's; others count up in the order in which they were made. */
  readonly id: number;
  readonly parameters: Parameters;
  /** Empty for today's. */
  readonly changes: readonly ParameterChange[];
  /** In words, such as "target 60 → 70, scale-down window 300 → 180 s"; "as it is today" for today's. */
  readonly what: string;
  /** As it is simulated: with the schedules of its floor. */
  readonly autoscaler: Autoscaler;
}
