// The entry of the package: one evaluation, its explanation and its record, and the types of all of them. The report
// in `api` names each export.
export {
  type LimitReason,
  limitMessages,
  type StabilizationReason,
  stabilizationMessages,
} from "./decide/behavior/reasons.ts";
export { checkedDecideInput, DecideInputError } from "./decide/checked-input.ts";
export { type ConditionChange } from "./decide/combine/conditions.ts";
export { decide } from "./decide/decide.ts";
export { withFailedRescale } from "./decide/failed-rescale.ts";
export { metricIdentity } from "./decide/failure/identity.ts";
export { createPodCompactor } from "./decide/pods/compact.ts";
export { preparePod, preparePods } from "./decide/pods/prepare.ts";
export { type RecoverInput, recoverMemory } from "./decide/recover-memory.ts";
export { shiftMemory } from "./decide/shift-memory.ts";
export type * from "./objects/decision.ts";
export { type FailurePolicy, type LastGoodSamples } from "./objects/failure-policy.ts";
export type * from "./objects/hpa.ts";
export type * from "./objects/metric-spec.ts";
export { type DecisionMode } from "./objects/mode.ts";
export { type ObjectMeta } from "./objects/object-meta.ts";
export { type CrossVersionObjectReference } from "./objects/object-reference.ts";
export { type ControllerOptions, defaultOptions, type SemanticsProfile } from "./objects/options.ts";
export type * from "./objects/pod.ts";
export type * from "./objects/samples.ts";
export { type ReplicaBounds } from "./objects/schedules/bounds.ts";
export { type ScheduleProblem } from "./objects/schedules/spec.ts";
export { type ActiveSchedule, type ScheduleConflict, type ScheduleState } from "./objects/schedules/state.ts";
export { type SchedulesStatus } from "./objects/schedules-status.ts";
export { leavesZeroByCondition, type ScalingRule, semanticsProfiles } from "./objects/semantics.ts";
export type * from "./objects/status.ts";
export { type FailurePolicyTrace } from "./objects/trace/failure-policy.ts";
export { type UnconfirmedScaleTrace, type UnknownHistoryTrace } from "./objects/trace/history.ts";
export { type JsonFloat } from "./objects/trace/json-float.ts";
export type * from "./objects/trace/metric.ts";
export type * from "./objects/trace/step.ts";
export { compareWithStatus } from "./reasons/compare/compare.ts";
export { firstDifference } from "./reasons/compare/first-difference.ts";
export {
  type CompareOptions,
  type ExplainingAssumption,
  type StatusComparison,
  type StatusDifference,
  type Verdict,
} from "./reasons/compare/types.ts";
export {
  decideWithUnknownHistory,
  type RescaleEvent,
  type UnknownHistoryResult,
  type UnknownMemories,
  unknownMemories,
} from "./reasons/compare/unknown-history.ts";
export { explain } from "./reasons/explain/explain.ts";
export { failurePolicyEffect } from "./reasons/explain/failure-policy.ts";
export { type HeadLineOptions, headLine } from "./reasons/explain/head-line.ts";
export { type MetricRow, metricRows } from "./reasons/explain/metric-rows.ts";
export {
  isLasting,
  type OtherWriter,
  otherWriterNote,
  otherWriterText,
} from "./reasons/explain/other-writer.ts";
export { podReasons } from "./reasons/explain/phrases.ts";
export { type StepLine, type StepLinesOptions, stepLines } from "./reasons/explain/step-lines.ts";
export { explainWhyNot } from "./reasons/explain/why-not.ts";
export { type DecisionDifference, diffDecisions, type FieldDifference } from "./reasons/record/diff.ts";
export { decodeRecord, encodeRecord } from "./reasons/record/encode.ts";
export {
  type AppliedDecision,
  type DecisionRecord,
  RecordError,
  type ResultWithoutTrace,
  recordApiVersion,
  recordDecision,
  withoutTrace,
} from "./reasons/record/record.ts";
export { changingRules, replay } from "./reasons/record/replay.ts";
export { diffSettings, diffTracedSettings } from "./reasons/record/settings.ts";
export { type SummaryState, summarize, summaryState, summaryStates } from "./reasons/summary/summary.ts";
export { type DecisionSummary, type HeldBy } from "./reasons/summary/types.ts";
export {
  type NeededSetting,
  type NeededValue,
  type WhyNot,
  type WhyNotDecided,
  type WhyNotOther,
} from "./reasons/why-not/types.ts";
export { whyNot } from "./reasons/why-not/why-not.ts";
export { type LabelSelector, type LabelSelectorRequirement } from "./values/selector/label-selector.ts";
export { formatInstant, instantMs, type Timestamp } from "./values/time/rfc3339.ts";
export { coreVersion } from "./version.ts";
