// The entry of the package: one evaluation, its explanation and its record, and the types of all of them. The report
// in `api` names each export.
export {
  type LimitReason,
  limitMessages,
  type StabilizationReason,
  stabilizationMessages,
} from "./behavior/reasons.ts";
export { type ConditionChange } from "./combine/conditions.ts";
export { compareWithStatus } from "./compare/compare.ts";
export { firstDifference } from "./compare/first-difference.ts";
export {
  type CompareOptions,
  type ExplainingAssumption,
  type StatusComparison,
  type StatusDifference,
  type Verdict,
} from "./compare/types.ts";
export {
  decideWithUnknownHistory,
  type RescaleEvent,
  type UnknownHistoryResult,
  type UnknownMemories,
  unknownMemories,
} from "./compare/unknown-history.ts";
export { checkedDecideInput, DecideInputError } from "./decide/checked-input.ts";
export { decide } from "./decide/decide.ts";
export { withFailedRescale } from "./decide/failed-rescale.ts";
export { type RecoverInput, recoverMemory } from "./decide/recover-memory.ts";
export { shiftMemory } from "./decide/shift-memory.ts";
export { explain } from "./explain/explain.ts";
export { failurePolicyEffect } from "./explain/failure-policy.ts";
export { type HeadLineOptions, headLine } from "./explain/head-line.ts";
export { type MetricRow, metricRows } from "./explain/metric-rows.ts";
export { podReasons } from "./explain/phrases.ts";
export { type StepLine, type StepLinesOptions, stepLines } from "./explain/step-lines.ts";
export { explainWhyNot } from "./explain/why-not.ts";
export { metricIdentity } from "./failure/identity.ts";
export { createPodCompactor } from "./pods/compact.ts";
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
export { diffSettings, diffTracedSettings } from "./record/settings.ts";
export { type ReplicaBounds } from "./schedules/bounds.ts";
export { type ScheduleProblem } from "./schedules/spec.ts";
export { type ActiveSchedule, type ScheduleConflict, type ScheduleState } from "./schedules/state.ts";
export type * from "./spec/decision.ts";
export { type FailurePolicy, type LastGoodSamples } from "./spec/failure-policy.ts";
export type * from "./spec/hpa.ts";
export type * from "./spec/metric-spec.ts";
export { type DecisionMode } from "./spec/mode.ts";
export { type LabelSelector, type LabelSelectorRequirement, type ObjectMeta } from "./spec/object-meta.ts";
export { type CrossVersionObjectReference } from "./spec/object-reference.ts";
export { type ControllerOptions, defaultOptions, type SemanticsProfile } from "./spec/options.ts";
export type * from "./spec/pod.ts";
export type * from "./spec/samples.ts";
export { type SchedulesStatus } from "./spec/schedules-status.ts";
export type * from "./spec/status.ts";
export { type Timestamp } from "./spec/timestamp.ts";
export { type SummaryState, summaryState, summaryStates } from "./summary/state.ts";
export { summarize } from "./summary/summary.ts";
export { type DecisionSummary, type HeldBy } from "./summary/types.ts";
export { formatInstant, instantMs } from "./time/rfc3339.ts";
export { type FailurePolicyTrace } from "./trace/failure-policy.ts";
export { type UnconfirmedScaleTrace, type UnknownHistoryTrace } from "./trace/history.ts";
export { type JsonFloat } from "./trace/json-float.ts";
export type * from "./trace/metric.ts";
export type * from "./trace/step.ts";
export { coreVersion } from "./version.ts";
export {
  type NeededSetting,
  type NeededValue,
  type WhyNot,
  type WhyNotDecided,
  type WhyNotOther,
} from "./why-not/types.ts";
export { whyNot } from "./why-not/why-not.ts";
