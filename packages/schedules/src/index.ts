// Calendars and recurrences of schedules, read under a budget of time, memory and space.
export { type CalendarTask, calendarReader } from "./calendars/calendar.ts";
export {
  createCalendarWorker,
  type ReadCalendarTask,
  readInline,
} from "./calendars/calendar-tasks.ts";
export { movedBounds } from "./moved-bounds.ts";
export { createPace, type Pace } from "./pace.ts";
export { createScheduleReader, type ObjectSchedules, type ScheduleReader } from "./reader.ts";
export { type SharedSchedules, shareSchedules } from "./shared.ts";
export { lasts, type ScheduleStates } from "./states.ts";
export { createZones } from "./zones.ts";
