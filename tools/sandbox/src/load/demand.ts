// Simulates one load on a workload, shared by its pods.
import { constantSchedule, createSchedule, type Schedule } from "./schedule.ts";
import { hasPods, type WorkloadLoad, workloadKey } from "./workload-load.ts";

/**
 * One load while it plays. `shareArea` is the integral over time of what one of the serving pods gets: a pod's
 * counter is the difference between two of its readings, so that a change of the pods costs the same for any number.
 */
export interface Demand {
  readonly load: WorkloadLoad;
  /** The workload whose serving pods divide the total; undefined when nothing does. */
  readonly dividedBy: string | undefined;
  /** In value per second. */
  totalAt(nowMs: number): number;
  shareAt(nowMs: number, serving: number): number;
  readonly shareArea: number;
  /** Brings shareArea up to now, with the number of pods that served since the last call. */
  advance(nowMs: number, serving: number): void;
  /** Replaces the schedule from now on; advance() must come first. */
  follow(load: WorkloadLoad, nowMs: number): void;
  hold(value: number, nowMs: number): void;
}

export function createDemand(first: WorkloadLoad, startMs: number): Demand {
  let load = first;
  let schedule: Schedule = createSchedule(first.points);
  let originMs = startMs;
  let advancedToMs = startMs;
  let shareArea = 0;
  const dividedBy = (): string | undefined => {
    if (hasPods(load.kind)) return workloadKey(load);
    return load.perReadyPodOf === undefined ? undefined : workloadKey(load.perReadyPodOf);
  };
  const shareOf = (total: number, serving: number): number => {
    if (dividedBy() === undefined) return total;
    if (serving > 0) return total / serving;
    // Traffic at a workload without a Ready pod reaches no pod, but it does reach the Ingress in front of it.
    return hasPods(load.kind) ? 0 : total;
  };
  return {
    get load() {
      return load;
    },
    get dividedBy() {
      return dividedBy();
    },
    totalAt: (nowMs) => schedule.valueAt(nowMs - originMs),
    shareAt: (nowMs, serving) => shareOf(schedule.valueAt(nowMs - originMs), serving),
    get shareArea() {
      return shareArea;
    },
    advance(nowMs, serving) {
      if (nowMs <= advancedToMs) return;
      shareArea += shareOf(schedule.integral(advancedToMs - originMs, nowMs - originMs), serving);
      advancedToMs = nowMs;
    },
    follow(next, nowMs) {
      load = next;
      schedule = createSchedule(next.points);
      originMs = nowMs;
    },
    hold(value, nowMs) {
      schedule = constantSchedule(value);
      originMs = nowMs;
    },
  };
}
