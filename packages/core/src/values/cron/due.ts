// Whether a cron schedule is due on a date.
import { civilOfDays } from "../time/rfc3339.ts";
import type { CronFields } from "./schedule.ts";

/** A day of the calendar. */
export interface CronDate {
  readonly year: number;
  readonly month: number;
  readonly dayOfMonth: number;
  /** 0 is Sunday. */
  readonly weekday: number;
}

/** The date of days since 1970. */
export function dateOf(day: number): CronDate {
  const { year, month, day: dayOfMonth } = civilOfDays(day);
  return { year, month, dayOfMonth, weekday: (((day + 4) % 7) + 7) % 7 };
}

/** Where both kinds of day are named either may match; a star leaves the other to decide. */
export function isDueOnDate(schedule: CronFields, { month, dayOfMonth, weekday }: CronDate): boolean {
  if (!schedule.month.values.has(month)) return false;
  const matchesDate = schedule.dayOfMonth.values.has(dayOfMonth);
  const matchesWeekday = schedule.dayOfWeek.values.has(weekday);
  const hasStar = schedule.dayOfMonth.isStar || schedule.dayOfWeek.isStar;
  return hasStar ? matchesDate && matchesWeekday : matchesDate || matchesWeekday;
}

/** The same for days since 1970. */
export function isDueOn(schedule: CronFields, day: number): boolean {
  return isDueOnDate(schedule, dateOf(day));
}
