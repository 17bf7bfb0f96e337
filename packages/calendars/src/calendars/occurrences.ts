// Occurrences of the events of an iCalendar within a span of time.
import { dayMs } from "@plimsoll/core/internal/values";
import type ICAL from "ical.js";

export interface Occurrence {
  readonly start: ICAL.Time;
  readonly end: ICAL.Time;
}

/** What an event's occurrences are looked for in. */
interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Those that begin before the end of the range, in order; some of them lie before it. */
export function* occurrencesOf(event: ICAL.Event, range: Range): Generator<Occurrence> {
  if (!event.isRecurring()) {
    yield { start: event.startDate, end: event.endDate };
    return;
  }
  const { duration } = event;
  const hasExceptions = Object.keys(event.exceptions).length > 0;
  const iterator = event.iterator(laterStart(event, range.fromMs - duration.toSeconds() * 1000));
  for (let next = iterator.next(); next !== undefined && next !== null; next = iterator.next()) {
    if (localMs(next) > range.toMs + 2 * dayMs) return;
    if (hasExceptions) {
      const { startDate, endDate } = event.getOccurrenceDetails(next);
      yield { start: startDate, end: endDate };
    } else {
      const end = next.clone();
      end.addDuration(duration);
      yield { start: next, end };
    }
  }
}

/**
 * A start from which the same occurrences follow, not long before an instant: an event of every day that began a
 * century ago is not gone through day by day. Undefined: its own. The start itself is taken for an occurrence by the
 * library, and lies before the instant.
 */
function laterStart(event: ICAL.Event, beforeMs: number): ICAL.Time | undefined {
  const rule = event.component.getFirstPropertyValue("rrule") as ICAL.Recur | null;
  if (rule === null || rule.isByCount()) return undefined;
  const { freq, interval } = rule;
  const start = event.startDate;
  const later = start.clone();
  if (freq === "YEARLY") {
    const last = new Date(beforeMs).getUTCFullYear() - 2 * interval;
    const years = Math.floor((last - start.year) / interval) * interval;
    // The 29th of February is not there every year.
    if (years <= 0 || (start.month === 2 && start.day === 29)) return undefined;
    later.year += years;
    return later;
  }
  const stepDays = freq === "DAILY" ? interval : freq === "WEEKLY" ? 7 * interval : undefined;
  if (stepDays === undefined) return undefined;
  const steps = Math.floor((beforeMs - localMs(start)) / (stepDays * dayMs)) - 3;
  if (steps <= 0) return undefined;
  const day = new Date(localMs(start) + steps * stepDays * dayMs);
  // Together: a date on its own could be none for a moment.
  later.day = 1;
  later.month = day.getUTCMonth() + 1;
  later.year = day.getUTCFullYear();
  later.day = day.getUTCDate();
  return later;
}

/** Local time as if it were UTC. */
export function localMs({ year, month, day, hour, minute, second }: ICAL.Time): number {
  return Date.UTC(year, month - 1, day, hour, minute, second);
}
