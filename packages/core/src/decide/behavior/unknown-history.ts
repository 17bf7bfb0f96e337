// The worst case of scale events that a former process may have made.

import type { FullRules } from "../../objects/api/behavior-defaults.ts";
import type { UnknownHistory } from "../../objects/decision.ts";
import type { ScalingPolicy } from "../../objects/hpa.ts";

/**
 * Replicas that a former process may have added, or removed, at the last scale. It may have gone in either direction,
 * which would leave more room in the other: each direction is taken at its worst, so that no policy has anything left
 * within its own period. `opposite` is what is known to have gone the other way, which must not make room.
 */
export function unknownChange(
  rules: FullRules,
  at: { readonly direction: "up" | "down"; readonly currentReplicas: number; readonly opposite: number },
): number {
  const bound = at.direction === "up" ? maxAdded : maxRemoved;
  const changes = rules.policies.map((policy) => bound(policy, at.currentReplicas));
  return (Math.max(0, ...changes) + at.opposite) | 0;
}

/** Until the longest period has passed since, policies may have been used up. */
export function isUnknown(history: UnknownHistory | undefined, nowMs: number): history is UnknownHistory {
  return history !== undefined && nowMs <= history.untilMs;
}

/** How many may have been added to come to these replicas. */
function maxAdded({ type, value }: ScalingPolicy, replicas: number): number {
  return type === "Percent" ? replicas - Math.floor(replicas / (1 + value / 100)) : value;
}

/** How many may have been removed; none when a policy allows everything. */
function maxRemoved({ type, value }: ScalingPolicy, replicas: number): number {
  if (type !== "Percent") return value;
  return value >= 100 ? 0 : Math.ceil(replicas / (1 - value / 100)) - replicas;
}
