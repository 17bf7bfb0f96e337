import { isDueOn } from "../../values/cron/due.ts";
import type { CronSchedule } from "../../values/cron/schedule.ts";
import { dayMs } from "../../values/units.ts";

/**
 * Whether an entry of excludeDates names the calendar day of a local time (given as if it were UTC). Only its day of
 * month, month and day of week count; an interval names no day.
 */
export function isExcludedDay(rule: CronSchedule, localMs: number): boolean {
  return rule.kind === "fields" && isDueOn(rule, Math.floor(localMs / dayMs));
}
