// Reads the exclusions of a schedule entry.

import type { ScheduleCalendar, ScheduleExclusion } from "../../objects/schedules/spec.ts";
import { textOf, withoutNull } from "../../values/fields.ts";
import { parseDate } from "../../values/time/rfc3339.ts";
import { type Exclusions, joinSpans, type Span } from "./exclusions.ts";
import type { EntryReader } from "./reader.ts";

/** Reads an exclusion by calendar for an entry in a zone; text says what is wrong with it. */
export type ReadCalendar = (exclusion: ScheduleExclusion, timeZone: string) => ScheduleCalendar | string;

interface Collected {
  readonly days: Span[];
  readonly weekdays: Set<number>;
  readonly spans: Span[];
}

/** How many days and spans the calendars of an object may still exclude, in all of its entries. */
export interface ExclusionsLeft {
  count: number;
}

/** Of one object; a calendar that many entries name counts for each. */
export const maxExclusions = 10_000;

interface Context {
  readonly left: ExclusionsLeft;
  readonly reader: EntryReader;
  readonly timeZone: string;
  readonly calendar?: ReadCalendar | undefined;
}

/** Undefined when there is a list that excludes nothing. */
export function readExclusions(
  exclusions: readonly ScheduleExclusion[] | undefined,
  context: Context,
): Exclusions | undefined {
  const found: Collected = { days: [], weekdays: new Set(), spans: [] };
  const { problem } = context.reader;
  if (exclusions !== undefined && (!Array.isArray(exclusions) || exclusions.length === 0)) {
    problem("exclusions", undefined, "is empty", "remove it, or list what to exclude");
    return undefined;
  }
  for (const [index, exclusion] of (exclusions ?? []).entries())
    readExclusion(withoutNull(exclusion ?? {}), `exclusions[${index}]`, { ...context, found });
  if (found.weekdays.size === 7)
    problem("exclusions", undefined, "exclude every day of the week", "remove the entry instead");
  return {
    days: joinSpans(found.days, 1),
    weekdays: found.weekdays,
    spans: joinSpans(found.spans, 0),
  };
}

interface ExclusionContext extends Context {
  readonly found: Collected;
}

function readExclusion(exclusion: ScheduleExclusion, path: string, context: ExclusionContext): void {
  const { reader } = context;
  const { date, from, to, weekdays, calendar, calendarName } = exclusion;
  const kinds = [date, from ?? to, weekdays, calendar, calendarName];
  if (kinds.filter((kind) => kind !== undefined).length !== 1) {
    const remedy = "set exactly one of date, from with to, weekdays, calendar, calendarName";
    reader.problem(path, undefined, "must exclude exactly one thing", remedy);
  } else if (date !== undefined) {
    const day = readDay(date, `${path}.date`, reader);
    context.found.days.push({ from: day, to: day });
  } else if (from !== undefined || to !== undefined) readDays(exclusion, path, context);
  else if (weekdays !== undefined) readWeekdays(weekdays, `${path}.weekdays`, context);
  else readCalendar(exclusion, path, context);
}

function readDays(
  { from, to }: Pick<ScheduleExclusion, "from" | "to">,
  path: string,
  { found, reader }: Pick<ExclusionContext, "found" | "reader">,
): void {
  const [first, last] = [readDay(from, `${path}.from`, reader), readDay(to, `${path}.to`, reader)];
  if (first > last) reader.problem(`${path}.to`, to, "is earlier than from", "swap the two days");
  else found.days.push({ from: first, to: last });
}

/** NaN after a problem, which leaves the entry out. */
function readDay(value: unknown, path: string, { problem }: EntryReader): number {
  const text = textOf(value);
  const parsed = text.length === 10 ? parseDate(text) : undefined;
  if (parsed !== undefined) return parsed;
  problem(path, value, "is not a date", 'use year, month, and day, such as "2026-12-25"');
  return Number.NaN;
}

function readWeekdays(
  names: unknown,
  path: string,
  { found, reader }: Pick<ExclusionContext, "found" | "reader">,
): void {
  if (!Array.isArray(names) || names.length === 0) {
    reader.problem(path, undefined, "is empty", 'list days, such as "SAT" and "SUN"');
    return;
  }
  for (const [index, name] of names.entries()) {
    const number = weekdayOf(textOf(name));
    if (number >= 0) found.weekdays.add(number);
    else
      reader.problem(
        `${path}[${index}]`,
        name,
        "is not a day of the week",
        'use a name such as "SAT" or "Saturday"',
      );
  }
}

function readCalendar(exclusion: ScheduleExclusion, path: string, context: ExclusionContext): void {
  const { found, reader, left } = context;
  const field = exclusion.calendar === undefined ? "calendarName" : "calendar";
  const read = context.calendar?.(exclusion, context.timeZone) ?? "cannot be read here";
  if (typeof read === "string") {
    const value = field === "calendar" ? undefined : exclusion.calendarName;
    reader.problem(`${path}.${field}`, value, read, "use iCalendar text with events");
    return;
  }
  const count = read.days.length + read.spans.length;
  const tooMany = `raises the object's calendars to more than ${maxExclusions} days and spans`;
  const refused = read.refused ?? (count > left.count ? tooMany : undefined);
  if (refused !== undefined) {
    const remedy = "it excludes nothing; remove what you don't need";
    reader.ignored(`${path}.${field}`, undefined, refused, remedy);
    return;
  }
  left.count -= count;
  for (const days of read.days) readDays(days, `${path}.${field}`, context);
  for (const { fromMs, toMs } of read.spans) if (toMs > fromMs) found.spans.push({ from: fromMs, to: toMs });
}

const weekdayNames = ["SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"];

/** 0 is Sunday; -1: none. */
function weekdayOf(text: string): number {
  const upper = text.toUpperCase();
  return weekdayNames.findIndex((name) => upper === name || (upper.length === 3 && name.startsWith(upper)));
}
