// CronHorizontalPodAutoscalers: their schedules, targets and bounds.
export { applyCronTarget, type CronTarget, type CronTargetResult } from "../../values/cron/hpa-target.ts";
export {
  type CompiledCronHpa,
  type CompiledCronHpaJob,
  type CronHpaBoundsPolicy,
  type CronHpaDefaults,
  type CronHpaJob,
  type CronHpaSource,
  compileCronHpa,
  cronHpaBoundsPolicies,
  groupOfApiVersion,
} from "./compile.ts";
export { isExcludedDay } from "./excluded-day.ts";
export { cronHpaLimits } from "./limits.ts";
export { type CronHpaSchedule, readCronHpaSchedule } from "./read-schedule.ts";
