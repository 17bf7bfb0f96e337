// The last time that a cron schedule was due in an interval.
import { type CronSchedule, nextFiring, type ZoneOffset } from "@plimsoll/core/schedules";

/** The last time after one instant, and not after another, at which a schedule was due. */
export function lastFiring(
  schedule: CronSchedule,
  { afterMs, untilMs }: { readonly afterMs: number; readonly untilMs: number },
  offset: ZoneOffset,
): number | undefined {
  const first = nextFiring(schedule, afterMs, offset);
  if (first === undefined || first > untilMs) return undefined;
  if (schedule.kind === "every")
    return first + Math.floor((untilMs - first) / schedule.intervalMs) * schedule.intervalMs;
  // It is due at `low`, and not between `high` and the end; halving finds the last of a million as well.
  let low = first;
  let high = untilMs;
  while (high - low >= 1000) {
    const middle = (low + high) / 2;
    const next = nextFiring(schedule, middle, offset);
    if (next !== undefined && next <= untilMs) low = next;
    else high = middle;
  }
  return low;
}
