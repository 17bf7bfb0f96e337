// Schedules: cron entries with time zones and exclusions, and what they impose at an instant.

export { boundsWith } from "../../objects/schedules/bounds.ts";
export {
  type ScheduleCalendar,
  type ScheduleExclusion,
  type SchedulePrecedence,
  type ScheduleRamp,
  type ScheduleSpec,
} from "../../objects/schedules/spec.ts";
export { type CronField } from "../../values/cron/field.ts";
export { nextFiring } from "../../values/cron/next.ts";
export {
  type CronDialect,
  type CronFields,
  type CronSchedule,
  cronDescriptors,
  parseCron,
} from "../../values/cron/schedule.ts";
export { instantOfLocal, type ZoneOffset } from "../../values/cron/zone.ts";
export { zoneOffset } from "../../values/cron/zone-offset.ts";
export { type Exclusions, type Spans } from "./exclusions.ts";
export { type ReadSchedulesOptions, readSchedules, type SchedulesRead } from "./read.ts";
export { type ReadCalendar } from "./read-exclusions.ts";
export { type Ramp, type Schedule, type ScheduleEnd } from "./schedule.ts";
export {
  countedState,
  type ScheduleTransition,
  scheduledBounds,
  scheduleState,
  transitionsWithin,
  upcomingTransitions,
  withSchedules,
} from "./state.ts";
export { scheduleConditions, scheduleEvents, schedulesStatus } from "./status-and-events.ts";
