// Computes how far the policies of spec.behavior allow replicas to change.

import type { FullRules } from "../../objects/api/behavior-defaults.ts";
import type { HpaMemory, ScaleEvent } from "../../objects/decision.ts";
import type { ScalingPolicy } from "../../objects/hpa.ts";
import type { PolicyTrace, RateTrace } from "../../objects/trace/step.ts";
import { ceilToInt32, int32OfFloat, maxInt32, minInt32 } from "../../values/number/go-float.ts";
import { unknownChange } from "./unknown-history.ts";

export interface RateInput {
  readonly nowMs: number;
  readonly currentReplicas: number;
  readonly memory: HpaMemory;
  /** A Percent policy for scale-ups allows at most 2^31 − 1; else it wraps, and allows nothing. */
  readonly saturates: boolean;
}

/**
 * How far up the policies allow to go.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#calculateScaleUpLimitWithScalingRules
 */
export function scaleUpLimit(input: RateInput, rules: FullRules): RateTrace {
  return rate(input, rules, "up", {
    pods: (start, value) => (start + value) | 0,
    percent: (start, value) => ceilToInt32(start * (1 + value / 100), input.saturates),
    takesHighest: rules.selectPolicy !== "Min",
  });
}

/**
 * How far down the policies allow to go.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#calculateScaleDownLimitWithBehaviors
 */
export function scaleDownLimit(input: RateInput, rules: FullRules): RateTrace {
  return rate(input, rules, "down", {
    pods: (start, value) => (start - value) | 0,
    percent: (start, value) => int32OfFloat(start * (1 - value / 100)),
    takesHighest: rules.selectPolicy === "Min",
  });
}

interface Direction {
  pods(start: number, value: number): number;
  percent(start: number, value: number): number;
  readonly takesHighest: boolean;
}

function rate(input: RateInput, rules: FullRules, direction: "up" | "down", how: Direction): RateTrace {
  const { currentReplicas } = input;
  const base = { kind: "rate", direction, selectPolicy: rules.selectPolicy, currentReplicas } as const;
  if (rules.selectPolicy === "Disabled") return { ...base, policies: [], limit: currentReplicas };
  const unknown = unknownScale(input, rules, direction);
  const policies: PolicyTrace[] = [];
  let limit = how.takesHighest ? minInt32 : maxInt32;
  // A policy of an unknown type repeats the one before it, as upstream's loop does.
  let proposed = 0;
  for (const policy of rules.policies) {
    const period = changesWithin(input, policy, unknown);
    if (policy.type === "Pods") proposed = how.pods(period.start, policy.value);
    else if (policy.type === "Percent") proposed = how.percent(period.start, policy.value);
    limit = how.takesHighest ? Math.max(limit, proposed) : Math.min(limit, proposed);
    const { type, value, periodSeconds } = policy;
    policies.push({ type, value, periodSeconds, ...period, limit: proposed });
  }
  return { ...base, policies, limit };
}

type Period = Pick<PolicyTrace, "added" | "removed" | "unknown" | "events" | "start">;

/** What a former process may have changed in the direction; the sign is that of the change. */
function unknownScale(
  input: RateInput,
  rules: FullRules,
  direction: "up" | "down",
): UnknownScale | undefined {
  const { memory, currentReplicas } = input;
  const { unknownHistory } = memory;
  if (unknownHistory === undefined) return undefined;
  const isUp = direction === "up";
  const others = isUp ? memory.scaleDownEvents : memory.scaleUpEvents;
  const opposite = others.reduce((sum, { change }) => sum + change, 0);
  const change = unknownChange(rules, { direction, currentReplicas, opposite });
  return { change: isUp ? change : -change, atMs: unknownHistory.lastScaleMs };
}

interface UnknownScale {
  readonly change: number;
  readonly atMs: number;
}

/** What happened within a policy's period, and the count at its start; int32 sums wrap. */
function changesWithin(input: RateInput, policy: ScalingPolicy, unknown: UnknownScale | undefined): Period {
  const cutoffMs = input.nowMs - policy.periodSeconds * 1000;
  const events: { direction: "up" | "down"; change: number; atMs: number }[] = [];
  const sum = (list: readonly ScaleEvent[], direction: "up" | "down"): number => {
    let total = 0;
    for (const { change, atMs } of list) {
      if (!(atMs > cutoffMs)) continue;
      total = (total + change) | 0;
      events.push({ direction, change, atMs });
    }
    return total;
  };
  const added = sum(input.memory.scaleUpEvents, "up");
  const removed = sum(input.memory.scaleDownEvents, "down");
  const start = (input.currentReplicas - added + removed) | 0;
  if (unknown === undefined || !(unknown.atMs > cutoffMs)) return { added, removed, events, start };
  return { added, removed, unknown: unknown.change, events, start: (start - unknown.change) | 0 };
}
