// The limits of iCalendar texts.
import ICAL from "ical.js";

/** What an iCalendar may have at most: it is a list of days off. Most is checked before anything is expanded. */
export const calendarLimits = {
  /** All of a file; text in an object has 65,536 by the schema. */
  characters: 1_000_000,
  lines: 20_000,
  lineCharacters: 65_536,
  components: 5000,
  events: 2000,
  /** Occurrences that are moved or changed (RECURRENCE-ID). */
  exceptions: 500,
  /** EXDATE and RDATE together. */
  dates: 5000,
  /** Changes of zones that are defined in it, each rule counted once a year. */
  zoneChanges: 20_000,
  eventDays: 366,
  /** Of one part of a rule, such as BYMONTHDAY. */
  ruleValues: 62,
  firstYear: 1900,
  lastYear: 2200,
  occurrences: 20_000,
  /** Different days and spans in the years that count. Holidays of all of a country are a few hundred a year. */
  excluded: 2000,
} as const;

/** A component as the library parses it: name, properties, components. */
export type JCal = readonly [string, readonly JCalProperty[], readonly JCal[]];
/** Name, parameters, type, and one or more values. */
type JCalProperty = readonly [string, unknown, string, ...unknown[]];

/** Why a text is not even parsed. */
export function textProblem(text: string): string | undefined {
  const { characters, lines, lineCharacters, components } = calendarLimits;
  if (text.length > characters) return `has more than ${characters} characters`;
  let [lineCount, componentCount, longest, length] = [0, 0, 0, 0];
  for (const line of text.split("\n")) {
    lineCount++;
    // A line that begins with a blank continues the one before.
    length = /^[ \t]/.test(line) ? length + line.length : line.length;
    longest = Math.max(longest, length);
    if (/^BEGIN:/i.test(line)) componentCount++;
  }
  if (lineCount > lines) return `has more than ${lines} lines`;
  if (longest > lineCharacters) return `has a line of more than ${lineCharacters} characters`;
  return componentCount > components ? `has more than ${components} components` : undefined;
}

/** Why a calendar is not expanded. */
export function structureProblem(calendars: readonly JCal[]): string | undefined {
  const components = calendars.flatMap(([, , children]) => children);
  const events = components.filter(([name]) => name === "vevent");
  const { events: maxEvents, exceptions, dates } = calendarLimits;
  if (events.length > maxEvents) return `has more than ${maxEvents} events`;
  const properties = events.flatMap(([, own]) => own);
  if (properties.filter(([name]) => name === "recurrence-id").length > exceptions)
    return `has more than ${exceptions} changed occurrences`;
  const listed = properties.filter(([name]) => name === "rdate" || name === "exdate");
  if (sum(listed.map((property) => property.length - 3)) > dates)
    return `has more than ${dates} dates in RDATE and EXDATE`;
  for (const event of events) {
    const problem = eventProblem(event);
    if (problem !== undefined) return `has an event that ${problem}`;
  }
  return zonesProblem(components);
}

const dateProperties = new Set(["dtstart", "dtend", "rdate", "exdate", "recurrence-id"]);

function eventProblem([, properties]: JCal): string | undefined {
  const { firstYear, lastYear, eventDays, ruleValues } = calendarLimits;
  const dates = properties.filter(([name]) => dateProperties.has(name)).flatMap(valuesOf);
  const year = dates.map(yearOf).find((year) => !(year >= firstYear && year <= lastYear));
  if (year !== undefined)
    return `has a date in the year ${year}; write years from ${firstYear} to ${lastYear}`;
  const parts = properties
    .filter(([name]) => name === "rrule")
    .flatMap(valuesOf)
    .flatMap(partsOf);
  if (parts.some((values) => values.length > ruleValues))
    return `has a recurrence with more than ${ruleValues} values of one kind`;
  const valueOf = (wanted: string) => {
    const [value] = properties.filter(([name]) => name === wanted).flatMap(valuesOf);
    return typeof value === "string" ? value : undefined;
  };
  const [start, end, duration] = ["dtstart", "dtend", "duration"].map(valueOf);
  const days =
    duration === undefined
      ? (Date.parse(end?.slice(0, 10) ?? "") - Date.parse(start?.slice(0, 10) ?? "")) / 86_400_000
      : ICAL.Duration.fromString(duration).toSeconds() / 86_400;
  return Math.abs(days) > eventDays ? `lasts for more than ${eventDays} days` : undefined;
}

/** Zones' rules are expanded from their first year on, whatever events there are. */
function zonesProblem(components: readonly JCal[]): string | undefined {
  const rules = components
    .filter(([name]) => name === "vtimezone")
    .flatMap(([, , observances]) => observances);
  let changes = 0;
  for (const [, properties] of rules) {
    const values = (wanted: string) => properties.filter(([name]) => name === wanted).flatMap(valuesOf);
    const [first = NaN] = values("dtstart").map(yearOf);
    const years = [first, ...values("rdate").map(yearOf)];
    // Some programs let their zones begin in 1601.
    if (!years.every((year) => year >= 1600 && year <= calendarLimits.lastYear))
      return "defines a time zone with a date before 1600 or after 2200, or with none";
    const recurring = values("rrule");
    if (recurring.length > 1 || !recurring.every(isYearly))
      return "defines a time zone with a rule other than one day a year (FREQ=YEARLY with BYMONTH and BYDAY)";
    changes += years.length + recurring.length * (calendarLimits.lastYear - first);
  }
  return changes > calendarLimits.zoneChanges ? "defines time zones with too many changes" : undefined;
}

const zoneRuleParts: Readonly<Record<string, number>> = {
  freq: 1,
  until: 1,
  count: 1,
  interval: 1,
  wkst: 1,
  bymonth: 1,
  byday: 1,
  // The days of one week, by which some programs name the second Sunday.
  bymonthday: 7,
};

function isYearly(rule: unknown): boolean {
  if (typeof rule !== "object" || rule === null) return false;
  const parts = Object.entries(rule as Readonly<Record<string, unknown>>);
  return parts.every(([name, value]) => {
    const most = zoneRuleParts[name.toLowerCase()] ?? 0;
    const count = Array.isArray(value) ? value.length : 1;
    return count <= most && (name.toLowerCase() !== "freq" || value === "YEARLY");
  });
}

/** The lists of a rule. */
function partsOf(rule: unknown): readonly (readonly unknown[])[] {
  if (typeof rule !== "object" || rule === null) return [];
  return Object.values(rule).filter((value) => Array.isArray(value));
}

function valuesOf([, , , ...values]: JCalProperty): readonly unknown[] {
  // A period is a pair.
  return values.map((value) => (Array.isArray(value) ? (value as readonly unknown[])[0] : value));
}

function yearOf(value: unknown): number {
  return Number(String(value).slice(0, 4));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
