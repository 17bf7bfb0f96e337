// The entry of the package: scenarios, runs of them, and what they give.
export { type AutoscalerRead, readAutoscaler, type Target } from "./file/autoscaler.ts";
export { type ScoreName, scoreNames } from "./file/read-expect.ts";
export { readScenario } from "./file/read-scenario.ts";
export {
  type Column,
  type Expectation,
  type FileSources,
  type ScenarioFile,
  type ScenarioRead,
  scenarioOf,
} from "./file/scenario-file.ts";
export { type Assumption, type FileProblem, type Findings, type Section, sectionOf } from "./file/section.ts";
export { writtenTuning } from "./file/tuning.ts";
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
export { type Load, type PointsLoad, type ProfileLoad, type SineLoad, type SpikeLoad } from "./load/load.ts";
export {
  type SimulatedRun,
  type SimulatedWorkload,
  type SimulateOptions,
  type SyncView,
} from "./loop/result.ts";
export {
  type Autoscaler,
  type Controller,
  type MetricMeaning,
  type NodePool,
  type Objective,
  type PodModel,
  type PodStart,
  type Scenario,
  type Scraping,
  type Workload,
} from "./loop/scenario.ts";
export { simulate } from "./loop/simulate.ts";
export { overWindow, type Window } from "./measure/rate.ts";
export { type ProjectedStep, type Projection, type ProjectOptions, project } from "./project/project.ts";
export { type MetricChange } from "./project/samples.ts";
export { type Delay } from "./random/delay.ts";
export { renderSvg, type SvgColumn } from "./render/svg.ts";
export { sparkline } from "./render/terminal-plot.ts";
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
  type ColumnScores,
  checkExpectations,
  columnScores,
  type Expected,
  type Scores,
} from "./score/compare.ts";
export { type Range } from "./score/range.ts";
export { type ReplicaChange, type WorkloadScores } from "./score/scores.ts";
export { type Series } from "./score/series.ts";
export { type StepResponse, stepResponses } from "./score/step-response.ts";
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
export { readTuneSpace, type SpaceProblem, type TuneSpaceRead } from "./tune/read-space.ts";
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
