import { instantOfLocal, type ReadCalendar, type ScheduleCalendar, type ZoneOffset } from "@plimsoll/core";
import ICAL from "ical.js";
import { ruleProblem } from "./recurrence.ts";

interface CalendarOptions {
  /** Events outside are of no interest: recurring ones have no end. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly zone: (timeZone: string) => ZoneOffset | undefined;
  /** Text of the calendars that the process was given, by name. */
  readonly named?: ((name: string) => string | undefined) | undefined;
}

/** Longer ones are no list of holidays. */
const mostEvents = 2000;
const mostOccurrences = 20_000;

/** Reads exclusions by calendar: each event of an iCalendar, whatever it says of being busy, is a time off. */
export function calendarReader(o: CalendarOptions): ReadCalendar {
  return ({ calendar, calendarName = "" }, timeZone) => {
    const text = calendar ?? o.named?.(calendarName);
    if (text === undefined) return "is no calendar that this process was given";
    try {
      return readCalendar(text, timeZone, o);
    } catch (error) {
      // The library throws on all that it cannot read.
      return `is no iCalendar: ${error instanceof Error ? error.message : String(error)}`;
    }
  };
}

function readCalendar(text: string, timeZone: string, o: CalendarOptions): ScheduleCalendar | string {
  const parsed: unknown = ICAL.parse(text);
  const roots = (Array.isArray(parsed) && Array.isArray(parsed[0]) ? parsed : [parsed]) as unknown[][];
  const events = roots
    .map((root) => new ICAL.Component(root))
    .filter(({ name }) => name === "vcalendar")
    .flatMap((root) => root.getAllSubcomponents("vevent"));
  if (events.length === 0) return "has no events";
  if (events.length > mostEvents) return `has more than ${mostEvents} events`;
  const days: ScheduleCalendar["days"][number][] = [];
  const spans: ScheduleCalendar["spans"][number][] = [];
  let left = mostOccurrences;
  for (const component of events) {
    if (component.getFirstPropertyValue("status") === "CANCELLED") continue;
    const event = new ICAL.Event(component);
    const problem = ruleProblem(component);
    if (problem !== undefined) return `has an event, ${quoted(event)}, that ${problem}`;
    if (event.startDate === null) return `has an event, ${quoted(event)}, without DTSTART`;
    if (event.isRecurrenceException()) continue;
    for (const { start, end } of occurrencesOf(event, o.toMs)) {
      if (--left < 0) return `has more than ${mostOccurrences} occurrences`;
      const added = addOccurrence({ start, end }, component);
      if (added !== undefined) return added;
    }
  }
  return { days, spans };

  function addOccurrence({ start, end }: Occurrence, component: ICAL.Component): string | undefined {
    if (start.isDate) {
      const last = end.clone();
      last.addDuration(ICAL.Duration.fromSeconds(-86_400));
      const to = last.compare(start) < 0 ? start : last;
      if (localMs(to) >= o.fromMs - 2 * 86_400_000) days.push({ from: dayText(start), to: dayText(to) });
      return undefined;
    }
    const [fromMs, toMs] = [instantOf(start, component), instantOf(end, component)];
    if (fromMs === undefined || toMs === undefined) {
      return `has a time in ${JSON.stringify(zoneName(component))}, which it does not define`;
    }
    if (toMs >= o.fromMs) spans.push({ fromMs, toMs });
    return undefined;
  }

  function instantOf(time: ICAL.Time, component: ICAL.Component): number | undefined {
    const isDefined = time.zone !== null && time.zone !== ICAL.Timezone.localTimezone;
    if (isDefined) return time.toUnixTime() * 1000;
    // Without a zone of its own a time is one in the zone of the entry.
    const offset = o.zone(zoneName(component) ?? timeZone);
    return offset === undefined ? undefined : instantOfLocal(localMs(time), offset);
  }
}

interface Occurrence {
  readonly start: ICAL.Time;
  readonly end: ICAL.Time;
}

/** Those that begin before `toMs`, in order. */
function* occurrencesOf(event: ICAL.Event, toMs: number): Generator<Occurrence> {
  if (!event.isRecurring()) {
    yield { start: event.startDate, end: event.endDate };
    return;
  }
  const iterator = event.iterator();
  for (let next = iterator.next(); next !== undefined && next !== null; next = iterator.next()) {
    if (localMs(next) > toMs + 2 * 86_400_000) return;
    const { startDate, endDate } = event.getOccurrenceDetails(next);
    yield { start: startDate, end: endDate };
  }
}

function zoneName(component: ICAL.Component): string | undefined {
  const name: unknown = component.getFirstProperty("dtstart")?.getFirstParameter("tzid");
  return typeof name === "string" && name !== "" ? name : undefined;
}

function quoted(event: ICAL.Event): string {
  return JSON.stringify(event.summary ?? event.uid ?? "");
}

function localMs({ year, month, day, hour, minute, second }: ICAL.Time): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

function dayText(time: ICAL.Time): string {
  return new Date(Date.UTC(time.year, time.month - 1, time.day)).toISOString().slice(0, 10);
}
