// Limits the stabilized replicas by rate, minimum and maximum.

import type { FullBehavior } from "../../objects/api/behavior-defaults.ts";
import type { LimitTrace, RateTrace } from "../../objects/trace/step.ts";
import { int32OfFloat } from "../../values/number/go-float.ts";
import { type RateInput, scaleDownLimit, scaleUpLimit } from "./rate.ts";
import type { LimitReason } from "./reasons.ts";

export interface LimitInput extends RateInput {
  /** The stabilized count. */
  readonly desiredReplicas: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  /** Undefined takes the path without behavior: at most twice the current count, or 4. */
  readonly behavior: FullBehavior | undefined;
}

export interface Limited {
  readonly replicas: number;
  readonly reason: LimitReason;
  readonly trace: readonly (RateTrace | LimitTrace)[];
}

export function limitReplicas(input: LimitInput): Limited {
  return input.behavior === undefined ? limitLegacy(input) : limitWithBehavior(input, input.behavior);
}

/** @upstream pkg/controller/podautoscaler/horizontal.go#convertDesiredReplicasWithRules */
function limitLegacy(input: LimitInput): Limited {
  const { currentReplicas, desiredReplicas, minReplicas, maxReplicas } = input;
  const growth = int32OfFloat(Math.max(2.0 * currentReplicas, 4.0));
  const isRateBound = maxReplicas > growth;
  const cap = isRateBound ? growth : maxReplicas;
  const ends = { cap, floor: minReplicas };
  if (desiredReplicas < minReplicas) return limited(input, minReplicas, "TooFewReplicas", ends);
  if (desiredReplicas > cap)
    return limited(input, cap, isRateBound ? "ScaleUpLimit" : "TooManyReplicas", ends);
  return limited(input, desiredReplicas, "DesiredWithinRange", ends);
}

/** @upstream pkg/controller/podautoscaler/horizontal.go#convertDesiredReplicasWithBehaviorRate */
function limitWithBehavior(input: LimitInput, behavior: FullBehavior): Limited {
  const { currentReplicas, desiredReplicas, minReplicas, maxReplicas } = input;
  if (desiredReplicas > currentReplicas) {
    const rate = scaleUpLimit(input, behavior.scaleUp);
    const limit = Math.max(rate.limit, currentReplicas);
    const isRateBound = maxReplicas > limit;
    const cap = isRateBound ? limit : maxReplicas;
    if (desiredReplicas <= cap) return limited(input, desiredReplicas, "DesiredWithinRange", { cap, rate });
    return limited(input, cap, isRateBound ? "ScaleUpLimit" : "TooManyReplicas", { cap, rate });
  }
  if (desiredReplicas < currentReplicas) {
    const rate = scaleDownLimit(input, behavior.scaleDown);
    const limit = Math.min(rate.limit, currentReplicas);
    const isRateBound = minReplicas < limit;
    const floor = isRateBound ? limit : minReplicas;
    if (desiredReplicas >= floor)
      return limited(input, desiredReplicas, "DesiredWithinRange", { floor, rate });
    return limited(input, floor, isRateBound ? "ScaleDownLimit" : "TooFewReplicas", { floor, rate });
  }
  return limited(input, desiredReplicas, "DesiredWithinRange", {});
}

function limited(
  input: LimitInput,
  replicas: number,
  reason: LimitReason,
  how: { cap?: number; floor?: number; rate?: RateTrace },
): Limited {
  const { desiredReplicas: from, minReplicas, maxReplicas } = input;
  const { rate, ...ends } = how;
  const limit: LimitTrace = {
    kind: "limit",
    from,
    result: replicas,
    minReplicas,
    maxReplicas,
    ...ends,
    reason,
  };
  return { replicas, reason, trace: rate === undefined ? [limit] : [rate, limit] };
}
