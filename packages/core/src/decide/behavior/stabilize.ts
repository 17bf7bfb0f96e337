// Holds a proposal within the windows of past recommendations.

import type { FullBehavior } from "../../objects/api/behavior-defaults.ts";
import type { Recommendation } from "../../objects/decision.ts";
import type { StabilizeTrace } from "../../objects/trace/step.ts";
import type { StabilizationReason } from "./reasons.ts";

export interface StabilizeInput {
  readonly nowMs: number;
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  readonly recommendations: readonly Recommendation[];
  /** Undefined takes the path without behavior, which holds back scale-downs only. */
  readonly behavior: FullBehavior | undefined;
  /** Window of the path without behavior, and of a scaleDown without its own. */
  readonly downscaleStabilizationMs: number;
}

export interface Stabilized {
  readonly replicas: number;
  readonly reason: StabilizationReason;
  /** The log with the unstabilized count entered. */
  readonly recommendations: readonly Recommendation[];
  readonly trace: StabilizeTrace;
}

export function stabilizeReplicas(input: StabilizeInput): Stabilized {
  return input.behavior === undefined ? stabilizeLegacy(input) : stabilizeWithBehavior(input, input.behavior);
}

/**
 * The highest recommendation within the window; one exactly as old as the window still counts.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#stabilizeRecommendation
 */
function stabilizeLegacy(input: StabilizeInput): Stabilized {
  const { nowMs, desiredReplicas, recommendations, downscaleStabilizationMs } = input;
  const cutoffMs = nowMs - downscaleStabilizationMs;
  let highest = desiredReplicas;
  let heldBy: Recommendation | undefined;
  let expired = -1;
  recommendations.forEach((entry, i) => {
    if (entry.atMs < cutoffMs) expired = i;
    else if (entry.replicas > highest || (entry.replicas === highest && isLater(entry, heldBy))) {
      highest = entry.replicas;
      heldBy = entry;
    }
  });
  const reason = highest === desiredReplicas ? "ReadyForNewScale" : "ScaleDownStabilized";
  return {
    replicas: highest,
    reason,
    recommendations: enter(recommendations, expired, { replicas: desiredReplicas, atMs: nowMs }),
    trace: {
      kind: "stabilize",
      mode: "legacy",
      currentReplicas: input.currentReplicas,
      desired: desiredReplicas,
      result: highest,
      downWindowSeconds: downscaleStabilizationMs / 1000,
      highest,
      ...(heldBy === undefined ? {} : { heldBy }),
      reason,
    },
  };
}

/**
 * The current count, moved into [lowest within the up window, highest within the down window]; a recommendation
 * exactly as old as a window no longer counts.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#stabilizeRecommendationWithBehaviors
 */
function stabilizeWithBehavior(input: StabilizeInput, behavior: FullBehavior): Stabilized {
  const { nowMs, currentReplicas, desiredReplicas, recommendations } = input;
  const upSeconds = behavior.scaleUp.stabilizationWindowSeconds ?? 0;
  const downSeconds =
    behavior.scaleDown.stabilizationWindowSeconds ?? Math.trunc(input.downscaleStabilizationMs / 1000);
  const upCutoffMs = nowMs - upSeconds * 1000;
  const downCutoffMs = nowMs - downSeconds * 1000;
  let lowest: Recommendation = { replicas: desiredReplicas, atMs: nowMs };
  let highest = lowest;
  let expired = -1;
  recommendations.forEach((entry, i) => {
    if (entry.atMs > upCutoffMs && entry.replicas < lowest.replicas) lowest = entry;
    if (entry.atMs > downCutoffMs && entry.replicas > highest.replicas) highest = entry;
    if (entry.atMs < upCutoffMs && entry.atMs < downCutoffMs) expired = i;
  });
  const replicas = Math.min(Math.max(currentReplicas, lowest.replicas), highest.replicas);
  const isUp = desiredReplicas >= currentReplicas;
  const stabilized = isUp ? "ScaleUpStabilized" : "ScaleDownStabilized";
  const reason = replicas === desiredReplicas ? "ReadyForNewScale" : stabilized;
  const extreme = isUp ? lowest : highest;
  const isHeld = replicas !== desiredReplicas && extreme.replicas !== desiredReplicas;
  const holds = ({ replicas: count, atMs }: Recommendation): boolean =>
    isUp ? atMs > upCutoffMs && count <= replicas : atMs > downCutoffMs && count >= replicas;
  return {
    replicas,
    reason,
    recommendations: enter(recommendations, expired, { replicas: desiredReplicas, atMs: nowMs }),
    trace: {
      kind: "stabilize",
      mode: "behavior",
      currentReplicas,
      desired: desiredReplicas,
      result: replicas,
      upWindowSeconds: upSeconds,
      downWindowSeconds: downSeconds,
      lowest: lowest.replicas,
      highest: highest.replicas,
      ...(isHeld ? { heldBy: latest(recommendations, extreme, holds) } : {}),
      reason,
    },
  };
}

/** The one that holds for the longest time. */
function latest(
  log: readonly Recommendation[],
  first: Recommendation,
  holds: (entry: Recommendation) => boolean,
): Recommendation {
  return log.reduce((one, entry) => (holds(entry) && entry.atMs > one.atMs ? entry : one), first);
}

function isLater({ atMs }: Recommendation, other: Recommendation | undefined): boolean {
  return other !== undefined && atMs > other.atMs;
}

/** Overwrites the last expired entry, or appends; the order of the log carries no meaning. */
function enter(
  log: readonly Recommendation[],
  expired: number,
  entry: Recommendation,
): readonly Recommendation[] {
  return expired < 0 ? [...log, entry] : log.with(expired, entry);
}
