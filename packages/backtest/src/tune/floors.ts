// Floors of candidates, out of the days that are searched on alone.
import type { ScheduleSpec, ZoneOffset } from "@plimsoll/core/schedules";
import type { Autoscaler } from "@plimsoll/simulator";
import type { InferredLoad } from "../infer/load.ts";
import { perPodTarget, requestedOf } from "../infer/metric-target.ts";
import type { Recording } from "../replay/recording.ts";
import { quantileOf } from "./bootstrap.ts";
import type { Parameters } from "./candidate.ts";
import type { WholeDay } from "./days.ts";
import { chosenGrouping, currentLevel, profileOf, type SeasonalClass, seasonalDays } from "./seasonal.ts";
import { type FloorsOf, floorSchedules } from "./seasonal-floors.ts";

/** Where floors come from. */
export interface FloorSource {
  readonly recording: Recording;
  readonly inferred: InferredLoad;
  readonly periodMs: number;
  readonly timeZone: string;
  readonly offset: ZoneOffset;
}

const usualStartUpMs = 15_000;
const slowPart = 0.95;

/** The 95 % quantile of start-ups, two periods, and the window of the metric. */
export function leadOf({ inferred, periodMs }: Pick<FloorSource, "inferred" | "periodMs">): number {
  const { startUpsMs, measuring } = inferred;
  const startUps = startUpsMs.toSorted((a, b) => a - b);
  const startUpMs = startUps.length === 0 ? usualStartUpMs : quantileOf(startUps, slowPart);
  return startUpMs + 2 * periodMs + measuring.windowMs;
}

/** What a pod may have of the load under a specification; undefined where its target is not an amount of one pod. */
export function loadPerPod({ hpa }: Autoscaler, { recording, inferred }: FloorSource): number | undefined {
  const { metric, idle } = inferred;
  const own = hpa.spec.metrics?.[metric.index];
  const requested =
    metric.kind === "cpu" ? (requestedOf(recording.pods, "cpu", metric.container) ?? 1) : undefined;
  const target = own === undefined ? undefined : perPodTarget(own, requested);
  return target === undefined || target <= idle ? undefined : target - idle;
}

/** Bounds and the load of a pod, of a specification. */
export function floorsOf(autoscaler: Autoscaler, source: FloorSource, level: number): FloorsOf | undefined {
  const perPod = loadPerPod(autoscaler, source);
  if (perPod === undefined) return undefined;
  const { minReplicas = 1, maxReplicas } = autoscaler.hpa.spec;
  const { timeZone } = source;
  return { timeZone, level, perPodTarget: perPod, minReplicas, maxReplicas, leadMs: leadOf(source) };
}

/** Undefined for a point without a floor; the profile of each quantile is made once. */
export function floorsOfHistory(
  source: FloorSource,
  days: readonly WholeDay[],
): (point: Parameters, autoscaler: Autoscaler) => readonly ScheduleSpec[] | undefined {
  const seasonal = seasonalDays(days, source.inferred, source.offset);
  const level = currentLevel(days);
  const profiles = new Map<number, readonly SeasonalClass[]>();
  return ({ floor }, autoscaler) => {
    const of = floorsOf(autoscaler, source, level);
    if (typeof floor !== "number" || of === undefined) return undefined;
    const known = profiles.get(floor);
    const profile = known ?? profileOf(seasonal, chosenGrouping(seasonal, floor).grouping, floor);
    profiles.set(floor, profile);
    return floorSchedules(profile, of);
  };
}
