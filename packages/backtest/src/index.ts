// The entry of the package: recordings replayed, the load behind them, and the search for a specification that costs less.

export { type LoopFigures } from "./infer/counterfactual.ts";
export { type InferredLoad, type InferredLoadRead, inferLoad } from "./infer/load.ts";
export { type InferOptions } from "./infer/options.ts";
export { type LoadModel } from "./infer/totals.ts";
export { type Unknown } from "./infer/unknowns.ts";
export {
  type Control,
  type Counterfactual,
  type CounterfactualOptions,
  createCounterfactual,
  type PeakBand,
  type RiskBand,
  type WhatIf,
  type WhatIfPlan,
} from "./infer/what-if.ts";
export { type RecordingRead, readRecordedLoad } from "./recorded-load.ts";
export { type Agreement, type EventAgreement } from "./replay/agreement.ts";
export { type MismatchCause } from "./replay/causes.ts";
export { type ControllerClock, clockInstants, recoverClock } from "./replay/clock.ts";
export {
  createExactReplay,
  type ExactReplay,
  type ExactReplayMeter,
  type ExactReplayOptions,
  type Mismatch,
} from "./replay/exact.ts";
export { manifestProblems } from "./replay/manifest.ts";
export { type RecordingCause } from "./replay/mismatch.ts";
export {
  type OpenLoopOptions,
  type OpenLoopReport,
  type RecordingMismatch,
  replayOpenLoop,
} from "./replay/open-loop.ts";
export { type ReplayClock } from "./replay/recorded-clock.ts";
export { clockMarks } from "./replay/recorded-decisions.ts";
export {
  type OpenSpan,
  type RecordedLevel,
  type RecordedMetric,
  type RecordedPod,
  type RecordedSample,
  type RecordedSpan,
  type RecordedStep,
  type RecordedTarget,
  type RecordedValue,
  type Recording,
  type SpecChange,
  type StatusTriple,
} from "./replay/recording.ts";
export { RecordingError } from "./replay/recording-checks.ts";
export { createRecordingReader, type RecordingReader, recordingLines } from "./replay/recording-lines.ts";
export {
  type Candidate,
  type ParameterChange,
  type ParameterName,
  type Parameters,
  type ParameterValue,
  parameterNames,
} from "./tune/candidate.ts";
export {
  type DayScores,
  type EvaluateBatch,
  type Stress,
  type TuneDay,
  type TuneOutcome,
  type TuneTask,
  type TuneWorld,
} from "./tune/evaluate.ts";
export { evaluateTask } from "./tune/evaluate-task.ts";
export { type ForecastRequest, forecastFloors } from "./tune/forecast.ts";
export { readTuneSpace, type TuneSpaceRead } from "./tune/read-space.ts";
export {
  type Confidence,
  type FloorForecast,
  type FrontPoint,
  type Interval,
  type OutlyingDay,
  type PeriodFigures,
  type Recommendation,
  type Rejection,
  type RobustnessCheck,
  type TunePatch,
  type TuneProgress,
  type TuneRefusal,
  type TuneReport,
  type TuneSplit,
  type TuneStage,
} from "./tune/report.ts";
export {
  type ParameterLimit,
  type TuneObjective,
  type TuneRequest,
  type TuneSignal,
  type TuneSpace,
} from "./tune/request.ts";
export { tune } from "./tune/tune.ts";
