import { textOf } from "../../values/fields.ts";
import { int32From } from "../../values/number/go-float.ts";
import { formatInstant, instantMs, type Timestamp, zeroTimeMs } from "../../values/time/rfc3339.ts";
import { cleanMetricStatuses } from "../api/clean.ts";
import type { SchedulesStatus } from "../schedules-status.ts";
import type { HpaCondition, HpaStatus, StoredHpaStatus } from "../status.ts";

/** A stored status as plain JSON, whatever a client made of it. */
export function readStatus(stored: StoredHpaStatus | null | undefined): HpaStatus {
  const lastScaleTime = instantText(stored?.lastScaleTime);
  const schedules = readSchedules(stored?.schedules);
  const generation: unknown = stored?.observedGeneration;
  return {
    ...(typeof generation === "number" ? { observedGeneration: generation } : {}),
    ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
    currentReplicas: int32From(stored?.currentReplicas, 0),
    desiredReplicas: int32From(stored?.desiredReplicas, 0),
    currentMetrics: cleanMetricStatuses(stored?.currentMetrics),
    conditions: readConditions(stored?.conditions),
    ...(schedules === undefined ? {} : { schedules }),
  };
}

function readSchedules(stored: SchedulesStatus | null | undefined): SchedulesStatus | undefined {
  if (typeof stored !== "object" || stored === null) return undefined;
  const { active } = stored;
  const isEntry = (entry: (typeof active)[number]) => typeof entry === "object" && entry !== null;
  return { ...stored, active: Array.isArray(active) ? active.filter(isEntry) : [] };
}

function readConditions(stored: StoredHpaStatus["conditions"]): readonly HpaCondition[] {
  if (!Array.isArray(stored)) return [];
  const conditions: HpaCondition[] = [];
  for (const condition of stored as NonNullable<StoredHpaStatus["conditions"]>) {
    if (typeof condition !== "object" || condition === null) continue;
    const { observedGeneration } = condition;
    const lastTransitionTime = instantText(condition.lastTransitionTime);
    conditions.push({
      type: textOf(condition.type),
      status: textOf(condition.status) as HpaCondition["status"],
      ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
      reason: textOf(condition.reason),
      message: textOf(condition.message),
      ...(typeof observedGeneration === "number" ? { observedGeneration } : {}),
    });
  }
  return conditions;
}

/** Stored text stays as it is; the zero time and what is not a time are absent. */
function instantText(value: Timestamp | undefined): string | undefined {
  const ms = instantMs(value);
  if (ms === undefined || ms === zeroTimeMs) return undefined;
  return typeof value === "string" ? value : formatInstant(ms);
}
