// Remembers changes that count against the policies.

import type { FullBehavior, FullRules } from "../../objects/api/behavior-defaults.ts";
import type { HpaMemory, ScaleEvent } from "../../objects/decision.ts";

export interface ScaleChange {
  readonly nowMs: number;
  readonly from: number;
  readonly to: number;
}

/**
 * Remembers a change that was written; only an HPA with behavior keeps these.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#storeScaleEvent
 */
export function recordScale(
  memory: HpaMemory,
  behavior: FullBehavior | undefined,
  change: ScaleChange,
): HpaMemory {
  if (behavior === undefined) return memory;
  return change.to > change.from
    ? { ...memory, scaleUpEvents: enterEvent(memory.scaleUpEvents, behavior.scaleUp, change) }
    : { ...memory, scaleDownEvents: enterEvent(memory.scaleDownEvents, behavior.scaleDown, change) };
}

/** Marks what no policy can see any more, then overwrites the last marked slot, or appends. */
function enterEvent(
  events: readonly ScaleEvent[],
  rules: FullRules,
  change: ScaleChange,
): readonly ScaleEvent[] {
  let maxPeriodSeconds = 0;
  for (const { periodSeconds } of rules.policies)
    maxPeriodSeconds = Math.max(maxPeriodSeconds, periodSeconds);
  const cutoffMs = change.nowMs - maxPeriodSeconds * 1000;
  const marked = events.map((event) => (event.atMs < cutoffMs ? { ...event, outdated: true } : event));
  const entry: ScaleEvent = { change: Math.abs(change.to - change.from) | 0, atMs: change.nowMs };
  const slot = marked.findLastIndex((event) => event.outdated === true);
  return slot < 0 ? [...marked, entry] : marked.with(slot, entry);
}
