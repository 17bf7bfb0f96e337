import { civilOfDays } from "../time/rfc3339.ts";
import type { CronSchedule } from "./schedule.ts";
import { instantOfLocal, type ZoneOffset } from "./zone.ts";

const dayMs = 86_400_000;
/** Two 29ths of February lie at most eight years apart. */
const horizonDays = 9 * 366;

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
  const localMs = startMs + offsetMs(startMs);
  const firstDay = Math.floor(localMs / dayMs);
  for (let day = firstDay; day < firstDay + horizonDays; day++) {
    if (!isDueOn(schedule, day)) continue;
    for (const time of timesOfDay(schedule, day === firstDay ? localMs - day * dayMs : 0)) {
      const instant = instantOfLocal(day * dayMs + time, offsetMs);
      if (instant > afterMs) return instant;
    }
  }
  return undefined;
}

export type Fields = Extract<CronSchedule, { kind: "fields" }>;

/** Where both kinds of day are named either may match; a star leaves the other to decide. */
export function isDueOn(schedule: Fields, day: number): boolean {
  const { month, day: dayOfMonth } = civilOfDays(day);
  if (!schedule.month.values.has(month)) return false;
  const weekday = (((day + 4) % 7) + 7) % 7;
  const matchesDate = schedule.dayOfMonth.values.has(dayOfMonth);
  const matchesWeekday = schedule.dayOfWeek.values.has(weekday);
  const hasStar = schedule.dayOfMonth.isStar || schedule.dayOfWeek.isStar;
  return hasStar ? matchesDate && matchesWeekday : matchesDate || matchesWeekday;
}

/** Milliseconds since midnight of all matching times from `fromMs` on, in order. */
function* timesOfDay(schedule: Fields, fromMs: number): Generator<number> {
  const sorted = (values: ReadonlySet<number>) => [...values].sort((a, b) => a - b);
  const minutes = sorted(schedule.minute.values);
  const seconds = sorted(schedule.second.values);
  for (const hour of sorted(schedule.hour.values)) {
    if ((hour + 1) * 3_600_000 <= fromMs) continue;
    for (const minute of minutes) {
      for (const second of seconds) {
        const time = hour * 3_600_000 + minute * 60_000 + second * 1000;
        if (time >= fromMs) yield time;
      }
    }
  }
}
