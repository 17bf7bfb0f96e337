// Begin and end of a schedule whose end is a cron expression.
import { dateOf, isDueOnDate } from "../../values/cron/due.ts";
import { hasAllTimesOf, localAfter, localUntil, timeOfDay } from "../../values/cron/local.ts";
import type { CronFields } from "../../values/cron/schedule.ts";
import { instantOfLocal, reachedLocal, type ZoneOffset } from "../../values/cron/zone.ts";
import { daysInMonth } from "../../values/time/rfc3339.ts";
import { dayMs, yearMs } from "../../values/units.ts";
import type { Run, RunSearch } from "./run-search.ts";
import { isSpent } from "./work.ts";

interface ByCron {
  readonly start: CronFields;
  readonly end: CronFields;
  readonly offset: ZoneOffset;
}

const searchedMs = 8 * yearMs;

/** The start after the last end that no start follows on. */
export function cronBegin(schedule: ByCron, startLocal: number, search: RunSearch): number {
  const { start, offset } = schedule;
  const { sinceMs, work } = search;
  const stopLocal = sinceMs === -Infinity ? -Infinity : reachedLocal(sinceMs, offset) - dayMs;
  let local = startLocal;
  while (!isSpent(work)) {
    const ended = soleEnd(schedule, local, { ...search, direction: -1, stopLocal });
    if (!ended.isFound) return isSpent(work) ? -Infinity : openSince(schedule, search);
    const next = localAfter(start, ended.local - 1, work);
    if (next === undefined) return sinceMs;
    const fromMs = instantOfLocal(next, offset);
    if (fromMs > instantOfLocal(ended.local, offset)) return fromMs;
    local = ended.local - 1000;
  }
  return -Infinity;
}

/** Nothing ended since an instant: it held then already, or since the first start after it. */
function openSince({ start, end, offset }: ByCron, { sinceMs, work }: RunSearch): number {
  const reached = reachedLocal(sinceMs, offset);
  const last = localUntil(start, reached, work);
  const ended = last === undefined ? undefined : localAfter(end, last, work);
  if (last !== undefined && (ended === undefined || instantOfLocal(ended, offset) > sinceMs)) return sinceMs;
  const next = localAfter(start, reached, work);
  return next === undefined ? sinceMs : instantOfLocal(next, offset);
}

/** The first end that no start follows on. */
export function cronEnd(schedule: ByCron, startLocal: number, search: RunSearch): Omit<Run, "fromMs"> {
  const { start, end, offset } = schedule;
  const { untilMs, work } = search;
  const stopLocal = untilMs === Infinity ? Infinity : reachedLocal(untilMs, offset) + dayMs;
  let local = localAfter(end, startLocal, work);
  if (local === undefined) return { toMs: instantOfLocal(startLocal, offset) + searchedMs, isCut: true };
  for (;;) {
    const endMs = instantOfLocal(local, offset);
    if (endMs >= untilMs) return { toMs: untilMs, isCut: false };
    // Where clocks are set forward, a later start may fall on the same instant.
    const next = localAfter(start, local - 1, work);
    if (next === undefined || instantOfLocal(next, offset) > endMs) return { toMs: endMs, isCut: false };
    const ended = soleEnd(schedule, next + 1000, { ...search, direction: 1, stopLocal });
    if (!ended.isFound) return { toMs: Math.max(instantOfLocal(ended.local, offset), endMs), isCut: true };
    local = ended.local;
  }
}

/** The nearest local time, itself included, at which the one ends and the other does not start; or how far it looked. */
function soleEnd(
  { start, end }: ByCron,
  fromLocal: number,
  { direction, stopLocal, work }: RunSearch & { readonly direction: 1 | -1; readonly stopLocal: number },
): { readonly local: number; readonly isFound: boolean } {
  const firstDay = Math.floor(fromLocal / dayMs);
  const isCovered = hasAllTimesOf(start, end);
  let day = firstDay;
  for (; !isSpent(work) && (stopLocal - day * dayMs) * direction >= 0; day += direction) {
    work.spent++;
    const date = dateOf(day);
    if (!end.month.values.has(date.month)) {
      // To the last day of that month that is looked at.
      day += direction === 1 ? daysInMonth(date.year, date.month) - date.dayOfMonth : 1 - date.dayOfMonth;
      continue;
    }
    if (!isDueOnDate(end, date)) continue;
    work.spent++;
    const isStartDay = isDueOnDate(start, date);
    if (isStartDay && isCovered) continue;
    const from = day === firstDay ? Math.floor((fromLocal - day * dayMs) / 1000) : undefined;
    const second = timeOfDay(end, { from, direction, work, except: isStartDay ? start : undefined });
    if (second !== undefined) return { local: day * dayMs + second * 1000, isFound: true };
  }
  return { local: day * dayMs, isFound: false };
}
