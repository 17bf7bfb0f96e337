// The caches and limits of schedules that all objects of a process share.
import type { Clock } from "@plimsoll/component-base";
import { type CalendarBudget, createCalendarBudget } from "./calendars/calendar-budget.ts";
import { type CalendarFiles, createCalendarFiles } from "./calendars/calendar-files.ts";
import { type CalendarStore, createCalendarStore } from "./calendars/calendar-store.ts";
import type { ReadCalendarTask } from "./calendars/calendar-tasks.ts";
import { createScheduleStates, type ScheduleStates } from "./states.ts";

/** Shared by all readers of schedules, so that the limits hold for the process. */
export interface SharedSchedules {
  /** iCalendar files that schedules name. */
  readonly calendars: CalendarFiles;
  readonly store: CalendarStore;
  readonly budget: CalendarBudget;
  readonly states: ScheduleStates;
}

export function shareSchedules(deps: {
  readonly clock: Clock;
  readonly runTask: ReadCalendarTask;
  readonly calendarDirectory: string | undefined;
}): SharedSchedules {
  return {
    calendars: createCalendarFiles(deps.calendarDirectory, deps.clock),
    store: createCalendarStore(deps),
    budget: createCalendarBudget(),
    states: createScheduleStates(deps.clock),
  };
}
