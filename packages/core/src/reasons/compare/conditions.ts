// What the conditions of a status say.
import type { StoredHpaCondition, StoredHpaStatus } from "../../objects/status.ts";

type WithConditions = Pick<StoredHpaStatus, "conditions">;

export function conditionOf({ conditions }: WithConditions, type: string): StoredHpaCondition | undefined {
  return (conditions ?? []).find((condition) => condition.type === type);
}

/** The controller came to a count by metrics. */
export function isActive(status: WithConditions): boolean {
  return conditionOf(status, "ScalingActive")?.status === "True";
}

/** A window holds the count. */
export function isStabilized(status: WithConditions): boolean {
  return /^Scale(?:Up|Down)Stabilized$/u.test(conditionOf(status, "AbleToScale")?.reason ?? "");
}

/** The policies hold the count. */
export function isRateLimited(status: WithConditions): boolean {
  return /^Scale(?:Up|Down)Limit$/u.test(conditionOf(status, "ScalingLimited")?.reason ?? "");
}
