// Calendars and recurrences of schedules, read under limits of time, memory and namespace.
export { type CalendarTask, calendarReader } from "./calendars/calendar.ts";
export {
  createCalendarWorker,
  type ReadCalendarTask,
  readInline,
} from "./calendars/calendar-tasks.ts";
export { createRateLimit, type RateLimit } from "./rate-limit.ts";
export { createScheduleReader, type ObjectSchedules, type ScheduleReader } from "./reader.ts";
export { type SharedSchedules, shareSchedules } from "./shared.ts";
export { lasts, movedBounds, type ScheduleStates } from "./states.ts";
export { createZones } from "./zones.ts";
