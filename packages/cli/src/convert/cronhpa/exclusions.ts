import { isExcludedDay } from "@plimsoll/core/cronhpa";
import { parseCron, type ScheduleExclusion } from "@plimsoll/core/schedules";
import type { Finding } from "../source.ts";
import { daysNamed, isWeekly } from "./timeline.ts";

const weekdayNames = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const maxDates = 100;

/** Entries of excludeDates as weekdays, or as the dates that they name in the years to come. */
export function exclusionsOf(
  excludeDates: readonly string[],
  nowMs: number,
): {
  readonly exclusions: readonly ScheduleExclusion[];
  readonly notes: readonly Finding[];
  readonly problems: readonly Finding[];
} {
  const exclusions: ScheduleExclusion[] = [];
  const notes: Finding[] = [];
  const problems: Finding[] = [];
  for (const [index, value] of excludeDates.entries()) {
    const at = { path: `spec.excludeDates[${index}]`, value };
    const rule = parseCron(value, "cronhpa");
    if (rule?.kind !== "fields") {
      notes.push({ ...at, message: "names no day and is left out", remedy: "nothing is to be done" });
      continue;
    }
    if (isWeekly(rule)) {
      const weekdays = weekdayNames.filter((_, day) => rule.dayOfWeek.values.has(day));
      if (weekdays.length < 7) exclusions.push({ weekdays });
      else problems.push({ ...at, message: "names every day", remedy: "remove the object instead" });
      continue;
    }
    const days = daysNamed((localMs) => isExcludedDay(rule, localMs), nowMs);
    if (days.length > maxDates) {
      problems.push({
        ...at,
        message: "names too many days to be listed",
        remedy: "write the exclusions by hand",
      });
      continue;
    }
    exclusions.push(...days.map((date) => ({ date })));
    const until = new Date(nowMs + 3 * 366 * 86_400_000).getUTCFullYear();
    const message = `is written as the ${days.length} dates that it names in three years`;
    notes.push({ ...at, message, remedy: `add those from ${until} on, or use an iCalendar` });
  }
  return { exclusions, notes, problems };
}
