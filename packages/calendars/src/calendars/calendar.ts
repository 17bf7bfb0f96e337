// Reads the events of an iCalendar as days and spans.
import { messageOf } from "@plimsoll/component-base";
import {
  instantOfLocal,
  type ReadCalendar,
  type ScheduleCalendar,
  type ZoneOffset,
} from "@plimsoll/core/schedules";
import ICAL from "ical.js";
import { createZones } from "../zones.ts";
import { calendarLimits, type JCal, structureProblem, textProblem } from "./calendar-limits.ts";
import { localMs, type Occurrence, occurrencesOf } from "./occurrences.ts";
import { ruleProblem } from "./recurrence.ts";

interface CalendarRange {
  /** Events outside are of no interest: recurring ones have no end. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly zone: (timeZone: string) => ZoneOffset | undefined;
}

interface CalendarOptions extends CalendarRange {
  /** Text of the calendars that the process was given, by name. */
  readonly named?: ((name: string) => string | undefined) | undefined;
}

/** A calendar to be read for an entry in a zone. */
export interface CalendarTask extends Pick<CalendarRange, "fromMs" | "toMs"> {
  readonly text: string;
  readonly timeZone: string;
}

/** Of what the library says, which may repeat a whole line. */
const shownCharacters = 200;

export const unknownCalendar = "is not a calendar that this process can read";

/** Reads exclusions by calendar: each event of an iCalendar, whatever it says of being busy, is a time off. */
export function calendarReader(options: CalendarOptions): ReadCalendar {
  return ({ calendar, calendarName = "" }, timeZone) => {
    const text = calendar ?? options.named?.(calendarName);
    return text === undefined ? unknownCalendar : readText(text, timeZone, options);
  };
}

const zones = createZones();

/** The same of one text, with the zones of the runtime. */
export function readCalendarTask({ text, timeZone, ...range }: CalendarTask): ScheduleCalendar | string {
  return readText(text, timeZone, { ...range, zone: zones });
}

function readText(text: string, timeZone: string, options: CalendarRange): ScheduleCalendar | string {
  try {
    return readCalendar(text, timeZone, options);
  } catch (error) {
    // The library throws on all that it cannot read.
    const message = messageOf(error);
    return `is not iCalendar: ${message.slice(0, shownCharacters)}`;
  }
}

/** What is over a limit is not a list of days off. */
export function refused(why: string): ScheduleCalendar {
  return { days: [], spans: [], refused: why };
}

function readCalendar(text: string, timeZone: string, options: CalendarRange): ScheduleCalendar | string {
  const unread = textProblem(text);
  if (unread !== undefined) return refused(unread);
  const parsed: unknown = ICAL.parse(text);
  const roots = (Array.isArray(parsed) && Array.isArray(parsed[0]) ? parsed : [parsed]) as JCal[];
  const calendars = roots.filter((root) => Array.isArray(root) && root[0] === "vcalendar");
  const problem = structureProblem(calendars);
  if (problem !== undefined) return refused(problem);
  const events = calendars
    .map((root) => new ICAL.Component(root as unknown as unknown[]))
    .flatMap((root) => root.getAllSubcomponents("vevent"));
  if (events.length === 0) return "has no events";
  const exceptions = exceptionsByUid(events);
  const found: Found = { ...options, timeZone, days: new Map(), spans: new Map(), occurrences: 0 };
  for (const component of events) {
    const ended = addEvent(component, exceptions, found);
    if (ended !== undefined) return ended;
  }
  return { days: [...found.days.values()], spans: [...found.spans.values()] };
}

/** What a calendar excludes, each once, as far as it has been read. */
interface Found extends CalendarRange {
  /** Of the entry, for times without one. */
  readonly timeZone: string;
  readonly days: Map<string, ScheduleCalendar["days"][number]>;
  readonly spans: Map<string, ScheduleCalendar["spans"][number]>;
  occurrences: number;
}

/** Defined when that is the result of the whole calendar. */
function addEvent(
  component: ICAL.Component,
  exceptions: ReadonlyMap<string, ICAL.Component[]>,
  found: Found,
): ScheduleCalendar | string | undefined {
  if (component.getFirstPropertyValue("status") === "CANCELLED") return undefined;
  // Left to itself, the library looks for them among all events, for each event.
  const isException = component.hasProperty("recurrence-id");
  const own = isException ? [] : (exceptions.get(uidOf(component)) ?? []);
  const event = new ICAL.Event(component, { exceptions: own });
  const problem = ruleProblem(component);
  if (problem !== undefined) return `has an event, ${quoted(event)}, that ${problem}`;
  if (event.startDate === null) return `has an event, ${quoted(event)}, without DTSTART`;
  if (isException) return undefined;
  for (const occurrence of occurrencesOf(event, found)) {
    if (++found.occurrences > calendarLimits.occurrences)
      return refused(`has more than ${calendarLimits.occurrences} occurrences`);
    const added = addOccurrence(occurrence, component, found);
    if (added !== undefined) return added;
    if (found.days.size + found.spans.size > calendarLimits.excluded)
      return refused(`excludes more than ${calendarLimits.excluded} days and spans in four years`);
  }
  return undefined;
}

function addOccurrence(
  { start, end }: Occurrence,
  component: ICAL.Component,
  found: Found,
): string | undefined {
  if (start.isDate) {
    const last = end.clone();
    last.addDuration(ICAL.Duration.fromSeconds(-86_400));
    const to = last.compare(start) < 0 ? start : last;
    const day = { from: dayText(start), to: dayText(to) };
    if (localMs(to) >= found.fromMs - 2 * 86_400_000) found.days.set(`${day.from}/${day.to}`, day);
    return undefined;
  }
  const [fromMs, toMs] = [instantOf(start, component, found), instantOf(end, component, found)];
  if (fromMs === undefined || toMs === undefined)
    return `has a time in ${JSON.stringify(zoneName(component)?.slice(0, 64))}, which it does not define`;
  if (toMs >= found.fromMs) found.spans.set(`${fromMs}/${toMs}`, { fromMs, toMs });
  return undefined;
}

function instantOf(time: ICAL.Time, component: ICAL.Component, found: Found): number | undefined {
  const isDefined = time.zone !== null && time.zone !== ICAL.Timezone.localTimezone;
  if (isDefined) return time.toUnixTime() * 1000;
  // Without a zone of its own a time is one in the zone of the entry.
  const offset = found.zone(zoneName(component) ?? found.timeZone);
  return offset === undefined ? undefined : instantOfLocal(localMs(time), offset);
}

function exceptionsByUid(events: readonly ICAL.Component[]): ReadonlyMap<string, ICAL.Component[]> {
  const found = new Map<string, ICAL.Component[]>();
  for (const event of events.filter((one) => one.hasProperty("recurrence-id"))) {
    const known = found.get(uidOf(event));
    if (known === undefined) found.set(uidOf(event), [event]);
    else known.push(event);
  }
  return found;
}

function uidOf(event: ICAL.Component): string {
  return String(event.getFirstPropertyValue("uid") ?? "");
}

function zoneName(component: ICAL.Component): string | undefined {
  const name: unknown = component.getFirstProperty("dtstart")?.getFirstParameter("tzid");
  return typeof name === "string" && name !== "" ? name : undefined;
}

function quoted(event: ICAL.Event): string {
  return JSON.stringify((event.summary ?? event.uid ?? "").slice(0, 64));
}

function dayText(time: ICAL.Time): string {
  return new Date(Date.UTC(time.year, time.month - 1, time.day)).toISOString().slice(0, 10);
}
