// Sets and removes conditions of a status.

import type { HpaCondition } from "../../objects/status.ts";
import { cutMessage } from "../../values/redact/cut.ts";
import { formatInstant } from "../../values/time/rfc3339.ts";

/** A condition as it is to be; its transition time follows from what was there. */
export interface ConditionChange {
  readonly type:
    | "AbleToScale"
    | "ScalingActive"
    | "ScalingLimited"
    | "ScaledToZero"
    | "ScheduleActive"
    | "SchedulesValid";
  readonly status: "True" | "False";
  readonly reason: string;
  readonly message: string;
}

/**
 * Sets a condition in place, or appends it; the transition time moves only with the status. A message ends at 4,096
 * characters: upstream's may be as long as the object.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#setConditionInList
 */
export function setCondition(
  conditions: readonly HpaCondition[],
  change: ConditionChange,
  nowMs: number,
): readonly HpaCondition[] {
  const index = conditions.findIndex((condition) => condition.type === change.type);
  const existing = conditions[index];
  const since = existing?.status === change.status ? existing.lastTransitionTime : formatInstant(nowMs);
  const generation = existing?.observedGeneration;
  const condition: { -readonly [K in keyof HpaCondition]: HpaCondition[K] } = {
    ...change,
    message: cutMessage(change.message),
  };
  if (since !== undefined) condition.lastTransitionTime = since;
  if (generation !== undefined) condition.observedGeneration = generation;
  return existing === undefined ? [...conditions, condition] : conditions.with(index, condition);
}

export function removeCondition(conditions: readonly HpaCondition[], type: string): readonly HpaCondition[] {
  return conditions.some((condition) => condition.type === type)
    ? conditions.filter((condition) => condition.type !== type)
    : conditions;
}
