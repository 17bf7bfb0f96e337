// Schedules: cron entries with time zones and exclusions, and what they impose at an instant.
export { type CronField } from "../cron/field.ts";
export { nextFiring } from "../cron/next.ts";
export {
  type CronDialect,
  type CronFields,
  type CronSchedule,
  cronDescriptors,
  parseCron,
} from "../cron/schedule.ts";
export { instantOfLocal, type ZoneOffset } from "../cron/zone.ts";
export { zoneOffset } from "../cron/zone-offset.ts";
export { boundsWith } from "./bounds.ts";
export { countedState } from "./counted-state.ts";
export { type Exclusions, type Spans } from "./exclusions.ts";
export { type ReadSchedulesOptions, readSchedules, type SchedulesRead } from "./read.ts";
export { type ReadCalendar } from "./read-exclusions.ts";
export { type Ramp, type Schedule, type ScheduleEnd } from "./schedule.ts";
export {
  type ScheduleCalendar,
  type ScheduleExclusion,
  type SchedulePrecedence,
  type ScheduleRamp,
  type ScheduleSpec,
} from "./spec.ts";
export { type ScheduleTransition, scheduleState, transitionsWithin, upcomingTransitions } from "./state.ts";
export { scheduleConditions, scheduleEvents, schedulesStatus } from "./status-and-events.ts";
export { scheduledBounds, withSchedules } from "./with-schedules.ts";
