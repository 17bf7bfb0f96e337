export { convertHpa, type HpaVersion } from "./api/convert/convert.ts";
export { ConversionError } from "./api/convert/schema.ts";
export { defaultHpa } from "./api/default.ts";
export type { Problem } from "./api/validate/problem.ts";
export { type ValidateOptions, validateHpa } from "./api/validate/validate.ts";
export {
  type LimitReason,
  limitMessages,
  type StabilizationReason,
  stabilizationMessages,
} from "./behavior/reasons.ts";
export type { CronField } from "./cron/field.ts";
export { applyCronTarget, type CronTarget, type CronTargetResult } from "./cron/hpa-target.ts";
export { nextFiring } from "./cron/next.ts";
export {
  type CronDialect,
  type CronFields,
  type CronSchedule,
  cronDescriptors,
  parseCron,
} from "./cron/schedule.ts";
export { instantOfLocal, type ZoneOffset } from "./cron/zone.ts";
export { zoneOffset } from "./cron/zone-offset.ts";
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
} from "./cronhpa/compile.ts";
export { isExcludedDay } from "./cronhpa/excluded-day.ts";
export { type CronHpaSchedule, readCronHpaSchedule } from "./cronhpa/read-schedule.ts";
export { decide } from "./decide/decide.ts";
export { withFailedRescale } from "./decide/failed-rescale.ts";
export { explain } from "./explain/explain.ts";
export { podReasons } from "./explain/words.ts";
export { preparePod, preparePods } from "./pods/prepare.ts";
export { parseQuantity } from "./quantity/parse.ts";
export { type Quantity, QuantityError, type QuantityFormat } from "./quantity/quantity.ts";
export { boundsWith, type ReplicaBounds } from "./schedules/bounds.ts";
export type { Exclusions, Span } from "./schedules/exclusions.ts";
export { type ReadSchedulesOptions, readSchedules, type SchedulesRead } from "./schedules/read.ts";
export type { ReadCalendar } from "./schedules/read-exclusions.ts";
export type { Ramp, Schedule, ScheduleEnd } from "./schedules/schedule.ts";
export type {
  ScheduleCalendar,
  ScheduleExclusion,
  SchedulePrecedence,
  ScheduleProblem,
  ScheduleRamp,
  ScheduleSpec,
} from "./schedules/spec.ts";
export {
  type ActiveSchedule,
  type ScheduleConflict,
  type ScheduleState,
  type ScheduleTransition,
  scheduleState,
  upcomingTransitions,
} from "./schedules/state.ts";
export { scheduledBounds, withSchedules } from "./schedules/with-schedules.ts";
export type {
  DecideInput,
  DecideResult,
  Decision,
  DecisionEvent,
  DecisionOutcome,
  HpaMemory,
  PodsReading,
  Recommendation,
  RescaleUndo,
  ScaleEvent,
  ScaleReading,
  ScheduledBounds,
} from "./spec/decision.ts";
export type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  HpaBehavior,
  HpaSpec,
  ScalingPolicy,
  ScalingRules,
} from "./spec/hpa.ts";
export type {
  ContainerResourceMetricSource,
  ExternalMetricSource,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from "./spec/metric-spec.ts";
export type { LabelSelector, LabelSelectorRequirement, ObjectMeta } from "./spec/object-meta.ts";
export { type ControllerOptions, defaultOptions, type SemanticsProfile } from "./spec/options.ts";
export type {
  Container,
  Pod,
  PodCondition,
  PodSpec,
  PodStatus,
  ResourceRequirements,
} from "./spec/pod.ts";
export type {
  ExternalSamples,
  FailedSamples,
  MetricSamples,
  ObjectSample,
  PodSamples,
  PodsSample,
  ResourceSample,
} from "./spec/samples.ts";
export type {
  HpaCondition,
  HpaStatus,
  MetricStatus,
  MetricValueStatus,
  StoredHpaCondition,
  StoredHpaStatus,
} from "./spec/status.ts";
export type { Timestamp } from "./spec/timestamp.ts";
export { type ApplyPoliciesInput, type ApplyPoliciesResult, applyPolicies } from "./steps/apply-policies.ts";
export { type Proposal, type ProposeInput, proposeReplicas } from "./steps/propose.ts";
export { type StabilizeInput, type StabilizeResult, stabilize } from "./steps/stabilize.ts";
export { formatInstant, instantMs } from "./time/rfc3339.ts";
export type {
  MetricErrorTrace,
  MetricTrace,
  PassTrace,
  PodCounts,
  PodReason,
  PodTrace,
  ProposalRule,
  TargetTrace,
} from "./trace/metric.ts";
export type {
  BoundsTrace,
  CombineTrace,
  CooldownTrace,
  DisabledTrace,
  JsonFloat,
  LimitTrace,
  PolicyTrace,
  RateTrace,
  ResultTrace,
  ScaleTrace,
  SchedulesTrace,
  SeedTrace,
  SelectorTrace,
  StabilizeTrace,
  TraceStep,
} from "./trace/step.ts";
