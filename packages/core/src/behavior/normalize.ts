// Stabilizes and limits a proposal.
import type { HpaMemory, Recommendation } from "../spec/decision.ts";
import type { TraceStep } from "../trace/step.ts";
import type { FullBehavior } from "./defaults.ts";
import { limitReplicas } from "./limit.ts";
import type { LimitReason, StabilizationReason } from "./reasons.ts";
import { stabilizeReplicas } from "./stabilize.ts";

export interface NormalizeQuestion {
  readonly nowMs: number;
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly behavior: FullBehavior | undefined;
  readonly memory: HpaMemory;
  readonly downscaleStabilizationMs: number;
}

export interface Normalized {
  readonly replicas: number;
  readonly stabilized: number;
  readonly stabilization: StabilizationReason;
  readonly limit: LimitReason;
  readonly recommendations: readonly Recommendation[];
  readonly trace: readonly TraceStep[];
}

/**
 * Stabilization first, on unlimited counts; then rate, min and max.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#normalizeDesiredReplicas
 * @upstream pkg/controller/podautoscaler/horizontal.go#normalizeDesiredReplicasWithBehaviors
 */
export function normalizeReplicas(question: NormalizeQuestion): Normalized {
  const { recommendations, scaleUpEvents, scaleDownEvents, unknownHistory } = question.memory;
  const stabilized = stabilizeReplicas({ ...question, recommendations });
  const limited = limitReplicas({
    ...question,
    desiredReplicas: stabilized.replicas,
    scaleUpEvents,
    scaleDownEvents,
    unknownHistory,
  });
  return {
    replicas: limited.replicas,
    stabilized: stabilized.replicas,
    stabilization: stabilized.reason,
    limit: limited.reason,
    recommendations: stabilized.recommendations,
    trace: [stabilized.trace, ...limited.trace],
  };
}
