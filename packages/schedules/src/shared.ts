import type { Clock } from "@plimsoll/component-base";
import { type CalendarFiles, createCalendarFiles } from "./calendars/calendar-files.ts";
import { type CalendarRoom, createCalendarRoom } from "./calendars/calendar-room.ts";
import { type CalendarStore, createCalendarStore } from "./calendars/calendar-store.ts";
import type { ReadCalendarTask } from "./calendars/calendar-tasks.ts";
import { createScheduleStates, type ScheduleStates } from "./states.ts";

/** What all who follow schedules use together, so that its limits are those of the process. */
export interface SharedSchedules {
  /** iCalendar files that schedules name. */
  readonly calendars: CalendarFiles;
  readonly store: CalendarStore;
  readonly room: CalendarRoom;
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
    room: createCalendarRoom(),
    states: createScheduleStates(deps.clock),
  };
}
