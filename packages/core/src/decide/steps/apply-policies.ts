// The step that limits replicas by policies and bounds, by itself.
import { defaultBehavior } from "../../objects/api/behavior-defaults.ts";
import type { ScaleEvent } from "../../objects/decision.ts";
import type { HpaBehavior } from "../../objects/hpa.ts";
import { defaultOptions, type SemanticsProfile } from "../../objects/options.ts";
import { semanticsOf } from "../../objects/semantics.ts";
import type { LimitTrace, RateTrace } from "../../objects/trace/step.ts";
import { int32From } from "../../values/number/go-float.ts";
import { limitReplicas } from "../behavior/limit.ts";
import { type LimitReason, limitMessages } from "../behavior/reasons.ts";
import { readMemory } from "../memory.ts";

/** What `applyPolicies` takes. */
export interface ApplyPoliciesInput {
  readonly nowMs: number;
  readonly currentReplicas: number;
  /** The stabilized count. */
  readonly desiredReplicas: number;
  readonly minReplicas?: number | undefined;
  readonly maxReplicas: number;
  /** spec.behavior, defaulted or not; absent takes the path without it. */
  readonly behavior?: HpaBehavior | null | undefined;
  readonly scaleUpEvents?: readonly ScaleEvent[] | undefined;
  readonly scaleDownEvents?: readonly ScaleEvent[] | undefined;
  readonly semantics?: SemanticsProfile | undefined;
}

/** What `applyPolicies` gives. */
export interface ApplyPoliciesResult {
  readonly replicas: number;
  /** Reason and message of the ScalingLimited condition, which is true when `isLimited`. */
  readonly reason: LimitReason;
  readonly message: string;
  readonly isLimited: boolean;
  readonly trace: readonly (RateTrace | LimitTrace)[];
}

/**
 * Rate policies, min and max on a stabilized count.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#convertDesiredReplicasWithBehaviorRate
 */
export function applyPolicies(input: ApplyPoliciesInput): ApplyPoliciesResult {
  const memory = readMemory({
    recommendations: [],
    scaleUpEvents: input.scaleUpEvents ?? [],
    scaleDownEvents: input.scaleDownEvents ?? [],
  });
  const desiredReplicas = int32From(input.desiredReplicas, 0);
  const { replicas, reason, trace } = limitReplicas({
    nowMs: input.nowMs,
    memory,
    saturates: semanticsOf(input.semantics ?? defaultOptions.semantics).saturates === "all",
    currentReplicas: int32From(input.currentReplicas, 0),
    desiredReplicas,
    minReplicas: int32From(input.minReplicas, 1),
    maxReplicas: int32From(input.maxReplicas, 0),
    behavior: input.behavior ? defaultBehavior(input.behavior) : undefined,
  });
  return { replicas, reason, message: limitMessages[reason], isLimited: replicas !== desiredReplicas, trace };
}
