import { localAfter } from "./local.ts";
import type { CronSchedule } from "./schedule.ts";
import { instantOfLocal, reachedLocal, type ZoneOffset } from "./zone.ts";

/**
 * The first time strictly after `afterMs` at which the schedule is due; undefined when it never is. A local time
 * that daylight saving skips is due at the first instant after the gap, once; one that repeats, the first time.
 */
export function nextFiring(
  schedule: CronSchedule,
  afterMs: number,
  offsetMs: ZoneOffset,
): number | undefined {
  const startMs = Math.floor(afterMs / 1000) * 1000;
  if (schedule.kind === "every") return startMs + schedule.intervalMs;
  const local = localAfter(schedule, reachedLocal(startMs, offsetMs));
  return local === undefined ? undefined : instantOfLocal(local, offsetMs);
}
