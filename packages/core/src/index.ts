// The entry of the package: one evaluation, its explanation and its record, and the types of all of them.
export {
  type LimitReason,
  limitMessages,
  type StabilizationReason,
  stabilizationMessages,
} from "./behavior/reasons.ts";
export { type ConditionChange } from "./combine/conditions.ts";
export { checkedDecideInput, DecideInputError } from "./decide/checked-input.ts";
export { decide } from "./decide/decide.ts";
export { withFailedRescale } from "./decide/failed-rescale.ts";
export { type RecoverInput, recoverMemory } from "./decide/recover-memory.ts";
export { shiftMemory } from "./decide/shift-memory.ts";
export { explain } from "./explain/explain.ts";
export { failurePolicyEffect } from "./explain/failure-policy.ts";
export { podReasons } from "./explain/words.ts";
export { metricIdentity } from "./failure/identity.ts";
export { preparePod, preparePods } from "./pods/prepare.ts";
export { type DecisionDifference, diffDecisions, type FieldDifference } from "./record/diff.ts";
export { decodeRecord, encodeRecord } from "./record/encode.ts";
export {
  type AppliedDecision,
  type DecisionRecord,
  RecordError,
  type ResultWithoutTrace,
  recordApiVersion,
  recordDecision,
  withoutTrace,
} from "./record/record.ts";
export { replay } from "./record/replay.ts";
export { type ReplicaBounds } from "./schedules/bounds.ts";
export { type ScheduleProblem } from "./schedules/spec.ts";
export { type ActiveSchedule, type ScheduleConflict, type ScheduleState } from "./schedules/state.ts";
export {
  type DecideInput,
  type DecideResult,
  type Decision,
  type DecisionEvent,
  type DecisionOutcome,
  type HpaMemory,
  type PodsReading,
  type Recommendation,
  type RescaleUndo,
  type ScaleEvent,
  type ScaleReading,
  type ScheduledBounds,
  type UnconfirmedScale,
  type UnknownHistory,
} from "./spec/decision.ts";
export { type FailurePolicy, type LastGoodSamples } from "./spec/failure-policy.ts";
export {
  type HorizontalPodAutoscaler,
  type HpaBehavior,
  type HpaSpec,
  type ScalingPolicy,
  type ScalingRules,
} from "./spec/hpa.ts";
export {
  type ContainerResourceMetricSource,
  type ExternalMetricSource,
  type MetricIdentifier,
  type MetricSpec,
  type MetricTarget,
  type ObjectMetricSource,
  type PodsMetricSource,
  type ResourceMetricSource,
} from "./spec/metric-spec.ts";
export { type DecisionMode } from "./spec/mode.ts";
export { type LabelSelector, type LabelSelectorRequirement, type ObjectMeta } from "./spec/object-meta.ts";
export { type CrossVersionObjectReference } from "./spec/object-reference.ts";
export { type ControllerOptions, defaultOptions, type SemanticsProfile } from "./spec/options.ts";
export {
  type Container,
  type Pod,
  type PodCondition,
  type PodSpec,
  type PodStatus,
  type ResourceRequirements,
} from "./spec/pod.ts";
export {
  type ExternalSamples,
  type FailedSamples,
  type MetricSamples,
  type ObjectSample,
  type PodSamples,
  type PodsSample,
  type ResourceSample,
} from "./spec/samples.ts";
export { type SchedulesStatus } from "./spec/schedules-status.ts";
export {
  type HpaCondition,
  type HpaStatus,
  type MetricStatus,
  type MetricValueStatus,
  type StoredHpaCondition,
  type StoredHpaStatus,
} from "./spec/status.ts";
export { type Timestamp } from "./spec/timestamp.ts";
export { formatInstant, instantMs } from "./time/rfc3339.ts";
export { type FailurePolicyTrace } from "./trace/failure-policy.ts";
export { type UnconfirmedScaleTrace, type UnknownHistoryTrace } from "./trace/history.ts";
export { type JsonFloat } from "./trace/json-float.ts";
export {
  type MetricErrorTrace,
  type MetricTrace,
  type PassTrace,
  type PodCounts,
  type PodReason,
  type PodTrace,
  type ProposalRule,
  type TargetTrace,
} from "./trace/metric.ts";
export {
  type BoundsTrace,
  type CombineTrace,
  type CooldownTrace,
  type DisabledTrace,
  type LimitTrace,
  type ModeTrace,
  type PolicyTrace,
  type RateTrace,
  type ResultTrace,
  type ScaleTrace,
  type SchedulesTrace,
  type SeedTrace,
  type SelectorTrace,
  type StabilizeTrace,
  type TraceStep,
} from "./trace/step.ts";
export { coreVersion } from "./version.ts";
