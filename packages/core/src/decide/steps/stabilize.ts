// The step that stabilizes a recommendation, by itself.
import { defaultBehavior } from "../../objects/api/behavior-defaults.ts";
import type { Recommendation } from "../../objects/decision.ts";
import type { HpaBehavior } from "../../objects/hpa.ts";
import type { ControllerOptions } from "../../objects/options.ts";
import type { StabilizeTrace } from "../../objects/trace/step.ts";
import { int32From } from "../../values/number/go-float.ts";
import type { StabilizationReason } from "../behavior/reasons.ts";
import { stabilizeReplicas } from "../behavior/stabilize.ts";
import { readMemory } from "../memory.ts";
import { readOptions } from "../subject.ts";

/** What `stabilize` takes. */
export interface StabilizeInput {
  readonly nowMs: number;
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  /** spec.behavior, defaulted or not; absent takes the path without it. */
  readonly behavior?: HpaBehavior | null | undefined;
  /** Earlier recommendations, in any order. */
  readonly recommendations: readonly Recommendation[];
  readonly options?: Partial<ControllerOptions> | undefined;
}

/** What `stabilize` gives. */
export interface StabilizeResult {
  readonly replicas: number;
  /** Reason of the AbleToScale condition. */
  readonly reason: StabilizationReason;
  /** The log with this recommendation entered. */
  readonly recommendations: readonly Recommendation[];
  readonly trace: StabilizeTrace;
}

/**
 * The window of past recommendations, without rates and without min and max.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#stabilizeRecommendationWithBehaviors
 */
export function stabilize(input: StabilizeInput): StabilizeResult {
  const { recommendations } = readMemory({
    recommendations: input.recommendations,
    scaleUpEvents: [],
    scaleDownEvents: [],
  });
  return stabilizeReplicas({
    nowMs: input.nowMs,
    currentReplicas: int32From(input.currentReplicas, 0),
    desiredReplicas: int32From(input.desiredReplicas, 0),
    recommendations,
    behavior: input.behavior ? defaultBehavior(input.behavior) : undefined,
    downscaleStabilizationMs: readOptions(input.options).downscaleStabilizationMs,
  });
}
