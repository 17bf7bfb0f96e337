// Searches local times that match a cron schedule.
import { civilOfDays, daysInMonth } from "../time/rfc3339.ts";
import { dayMs } from "../units.ts";
import { isDueOn } from "./due.ts";
import type { CronFields } from "./schedule.ts";

/** Two 29ths of February lie at most eight years apart. */
const maxMonths = 9 * 12;

/** Counts the days, hours and minutes that are looked at. */
export interface CronWork {
  spent: number;
}

/** The first local time (given as if it were UTC) after another that a schedule names; undefined when none ever is. */
export function localAfter(schedule: CronFields, localMs: number, work?: CronWork): number | undefined {
  return find(schedule, Math.floor(localMs / 1000) * 1000 + 1000, { direction: 1, work });
}

/** The last local time that a schedule names, not after another. */
export function localUntil(schedule: CronFields, localMs: number, work?: CronWork): number | undefined {
  return find(schedule, Math.floor(localMs / 1000) * 1000, { direction: -1, work });
}

function find(
  schedule: CronFields,
  fromMs: number,
  { direction, work = { spent: 0 } }: { direction: 1 | -1; work: CronWork | undefined },
): number | undefined {
  // A list of empty items has no times, and each day would take a search.
  const { second, minute, hour } = schedule;
  if ([second, minute, hour].some(({ values }) => values.size === 0)) return undefined;
  const firstDay = Math.floor(fromMs / dayMs);
  let day = firstDay;
  for (let months = 0; months <= maxMonths; ) {
    work.spent++;
    const { year, month, day: dayOfMonth } = civilOfDays(day);
    if (!schedule.month.values.has(month)) {
      day += direction === 1 ? daysInMonth(year, month) - dayOfMonth + 1 : -dayOfMonth;
      months++;
      continue;
    }
    if (isDueOn(schedule, day)) {
      const from = day === firstDay ? (fromMs - day * dayMs) / 1000 : undefined;
      const second = timeOfDay(schedule, { from, direction, work });
      if (second !== undefined) return day * dayMs + second * 1000;
    }
    if (dayOfMonth === 1) months++;
    day += direction;
  }
  return undefined;
}

interface TimeOfDaySearch {
  /** Seconds since midnight, itself included; undefined: the whole day. */
  readonly from: number | undefined;
  readonly direction: 1 | -1;
  readonly work: CronWork;
  /** Times that this one names as well are passed over. Both name whole minutes then. */
  readonly except?: CronFields | undefined;
}

/** The nearest time of a day, in seconds since midnight. */
export function timeOfDay(schedule: CronFields, search: TimeOfDaySearch): number | undefined {
  const { direction, work, except } = search;
  const hasNoMinuteLeft = except !== undefined && isWithin(schedule.minute.values, except.minute.values);
  let time = search.from ?? (direction === 1 ? 0 : 86_399);
  while (time >= 0 && time < 86_400) {
    // A quarter of what a day or a look into a zone takes.
    work.spent += 0.25;
    const step = stepAt(schedule, time, { direction, except, hasNoMinuteLeft });
    if (step === 0) return time;
    time += step;
  }
  return undefined;
}

/** Seconds from a time of day to the next one that may be named; zero when this one is. */
function stepAt(
  { hour, minute, second }: CronFields,
  time: number,
  how: Pick<TimeOfDaySearch, "direction" | "except"> & { readonly hasNoMinuteLeft: boolean },
): number {
  const { direction, except, hasNoMinuteLeft } = how;
  const isForward = direction === 1;
  const [h, m, s] = [Math.floor(time / 3600), Math.floor(time / 60) % 60, time % 60];
  const isShared = except?.hour.values.has(h) === true;
  if (!hour.values.has(h) || (isShared && hasNoMinuteLeft))
    return isForward ? (h + 1) * 3600 - time : h * 3600 - 1 - time;
  if (!minute.values.has(m) || (isShared && except?.minute.values.has(m))) return isForward ? 60 - s : -s - 1;
  if (second.values.has(s)) return 0;
  const isWhole = second.values.size === 1 && second.values.has(0);
  if (isWhole) return isForward ? 60 - s : -s;
  return direction;
}

/** Whether every time of day that one schedule names is named by another as well. */
export function hasAllTimesOf(schedule: CronFields, other: CronFields): boolean {
  return (
    isWithin(other.hour.values, schedule.hour.values) && isWithin(other.minute.values, schedule.minute.values)
  );
}

function isWithin(some: ReadonlySet<number>, all: ReadonlySet<number>): boolean {
  for (const value of some) if (!all.has(value)) return false;
  return true;
}
