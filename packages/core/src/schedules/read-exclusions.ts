import { textOf } from "../spec/text.ts";
import { parseDate } from "../time/rfc3339.ts";
import { type Exclusions, joinSpans, type Span } from "./exclusions.ts";
import type { EntryReader } from "./reader.ts";
import type { ScheduleCalendar, ScheduleExclusion } from "./spec.ts";

/** Reads an exclusion by calendar for an entry in a zone; text says what is wrong with it. */
export type ReadCalendar = (exclusion: ScheduleExclusion, timeZone: string) => ScheduleCalendar | string;

interface Collected {
  readonly days: Span[];
  readonly weekdays: Set<number>;
  readonly spans: Span[];
}

interface Context {
  readonly reader: EntryReader;
  readonly timeZone: string;
  readonly calendar: ReadCalendar | undefined;
}

/** Undefined when there is a list that excludes nothing. */
export function readExclusions(
  exclusions: readonly ScheduleExclusion[] | undefined,
  context: Context,
): Exclusions | undefined {
  const found: Collected = { days: [], weekdays: new Set(), spans: [] };
  const { problem } = context.reader;
  const list = exclusions ?? [];
  if (!Array.isArray(list) || (exclusions !== undefined && exclusions !== null && list.length === 0)) {
    problem("exclusions", undefined, "is empty", "leave it out, or say what to exclude");
    return undefined;
  }
  for (const [index, exclusion] of (list as readonly ScheduleExclusion[]).entries()) {
    readExclusion(exclusion ?? {}, `exclusions[${index}]`, { ...context, found });
  }
  if (found.weekdays.size === 7) {
    problem("exclusions", undefined, "leave no day of the week", "leave the entry out instead");
  }
  return {
    days: joinSpans(found.days, 1),
    weekdays: found.weekdays,
    spans: joinSpans(found.spans, 0),
  };
}

function readExclusion(
  exclusion: ScheduleExclusion,
  path: string,
  { found, reader, timeZone, calendar }: Context & { readonly found: Collected },
): void {
  const { problem } = reader;
  const { date, from, to, weekdays } = exclusion;
  const kinds = [date, from ?? to, weekdays, exclusion.calendar, exclusion.calendarName];
  if (kinds.filter((kind) => kind !== undefined && kind !== null).length !== 1) {
    const remedy = "give one of date, from with to, weekdays, calendar, calendarName";
    problem(path, undefined, "does not say one thing to exclude", remedy);
  } else if (date !== undefined) readDays(date, date, path);
  else if (from !== undefined || to !== undefined) readDays(from, to, path);
  else if (weekdays !== undefined) readWeekdays(weekdays);
  else readCalendar();

  function readDays(first: unknown, last: unknown, at: string): void {
    const [fromDay, toDay] = [day(first, date === undefined ? "from" : "date"), day(last, "to")];
    if (fromDay === undefined || toDay === undefined) return;
    if (fromDay > toDay) {
      problem(`${at}.to`, last, "comes before from", "write the earlier day first");
    } else found.days.push({ from: fromDay, to: toDay });
  }

  function day(text: unknown, field: string): number | undefined {
    const parsed = textOf(text).length === 10 ? parseDate(textOf(text)) : undefined;
    const isTold = field === "to" && date !== undefined;
    if (parsed === undefined && !isTold) {
      problem(`${path}.${field}`, text, "is no date", 'write year, month and day, such as "2026-12-25"');
    }
    return parsed;
  }

  function readWeekdays(names: unknown): void {
    if (!Array.isArray(names) || names.length === 0) {
      problem(`${path}.weekdays`, undefined, "is empty", 'name days, such as "SAT" and "SUN"');
      return;
    }
    for (const [index, name] of names.entries()) {
      const number = weekdayOf(textOf(name));
      if (number >= 0) found.weekdays.add(number);
      else
        problem(
          `${path}.weekdays[${index}]`,
          name,
          "is no day of the week",
          'write such as "SAT" or "Saturday"',
        );
    }
  }

  function readCalendar(): void {
    const field = exclusion.calendar === undefined ? "calendarName" : "calendar";
    const read = calendar?.(exclusion, timeZone) ?? "cannot be read here";
    if (typeof read === "string") {
      const value = field === "calendar" ? undefined : exclusion.calendarName;
      problem(`${path}.${field}`, value, read, "give iCalendar text with events");
      return;
    }
    for (const { from: first, to: last } of read.days) readDays(first, last, `${path}.${field}`);
    for (const { fromMs, toMs } of read.spans)
      if (toMs > fromMs) found.spans.push({ from: fromMs, to: toMs });
  }
}

const weekdayNames = ["SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"];

/** 0 is Sunday; -1: none. */
function weekdayOf(text: string): number {
  const upper = text.toUpperCase();
  return weekdayNames.findIndex((name) => upper === name || (upper.length === 3 && name.startsWith(upper)));
}
