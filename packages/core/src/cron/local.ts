import { civilOfDays, daysInMonth } from "../time/rfc3339.ts";
import { isDueOn } from "./next.ts";
import type { CronFields } from "./schedule.ts";

const dayMs = 86_400_000;
/** Two 29ths of February lie at most eight years apart. */
const mostMonths = 9 * 12;

/** The first local time (given as if it were UTC) after another that a schedule names; undefined when none ever is. */
export function localAfter(schedule: CronFields, localMs: number): number | undefined {
  return find(schedule, Math.floor(localMs / 1000) * 1000 + 1000, 1);
}

/** The last local time that a schedule names, not after another. */
export function localUntil(schedule: CronFields, localMs: number): number | undefined {
  return find(schedule, Math.floor(localMs / 1000) * 1000, -1);
}

function find(schedule: CronFields, fromMs: number, direction: 1 | -1): number | undefined {
  const firstDay = Math.floor(fromMs / dayMs);
  let day = firstDay;
  for (let months = 0; months <= mostMonths; ) {
    const { year, month, day: dayOfMonth } = civilOfDays(day);
    if (!schedule.month.values.has(month)) {
      day += direction === 1 ? daysInMonth(year, month) - dayOfMonth + 1 : -dayOfMonth;
      months++;
      continue;
    }
    if (isDueOn(schedule, day)) {
      const whole = direction === 1 ? 0 : dayMs - 1000;
      const second = timeOfDay(schedule, (day === firstDay ? fromMs - day * dayMs : whole) / 1000, direction);
      if (second !== undefined) return day * dayMs + second * 1000;
    }
    if (dayOfMonth === 1) months++;
    day += direction;
  }
  return undefined;
}

/** The nearest time of a day, in seconds since midnight, at or beyond `from`. */
function timeOfDay(schedule: CronFields, from: number, direction: 1 | -1): number | undefined {
  const { hour, minute, second } = schedule;
  let time = from;
  while (time >= 0 && time < 86_400) {
    const [h, m] = [Math.floor(time / 3600), Math.floor(time / 60)];
    if (!hour.values.has(h)) time = direction === 1 ? (h + 1) * 3600 : h * 3600 - 1;
    else if (!minute.values.has(m % 60)) time = direction === 1 ? (m + 1) * 60 : m * 60 - 1;
    else if (!second.values.has(time % 60)) time += direction;
    else return time;
  }
  return undefined;
}
