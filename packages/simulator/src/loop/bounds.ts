// The bounds of a specification over time: schedules move them.
import type { HpaSpec, ScheduledBounds } from "@plimsoll/core";
import {
  readSchedules,
  type Schedule,
  scheduledBounds,
  scheduleState,
  zoneOffset,
} from "@plimsoll/core/schedules";
import type { Autoscaler } from "../scenario.ts";

/** A specification as it counts at an instant. */
export interface Bounds {
  readonly spec: HpaSpec;
  readonly schedules: ScheduledBounds | undefined;
}

/** The specification with the bounds that schedules give it; the same object until they change. */
export function createBounds({
  hpa,
  schedules: specs = [],
}: Pick<Autoscaler, "hpa" | "schedules">): (atMs: number) => Bounds {
  if (specs.length === 0) return () => ({ spec: hpa.spec, schedules: undefined });
  const own = { minReplicas: hpa.spec.minReplicas ?? 1, maxReplicas: hpa.spec.maxReplicas };
  const read: readonly Schedule[] = readSchedules(specs, { zone: zoneOffset, bounds: own }).schedules;
  let untilMs = -Infinity;
  let known: Bounds = { spec: hpa.spec, schedules: undefined };
  return (atMs) => {
    if (atMs < untilMs) return known;
    const state = scheduleState(read, atMs);
    untilMs = state.nextMs ?? Infinity;
    const schedules = scheduledBounds(hpa.spec, state);
    known = { spec: { ...hpa.spec, ...schedules.effective }, schedules };
    return known;
  };
}
