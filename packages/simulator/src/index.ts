// The entry of the package: scenarios, runs of them, and what they give.

export { type AutoscalerRead, readAutoscaler, type Target } from "./file/autoscaler.ts";
export { checkAutoscaler } from "./file/check-autoscaler.ts";
export { readScenario } from "./file/read-scenario.ts";
export {
  type Column,
  type FileSources,
  type ScenarioFile,
  type ScenarioRead,
  scenarioOf,
} from "./file/scenario-file.ts";
export { type Assumption, type Findings, type Section, sectionOf } from "./file/section.ts";
export { writtenTuning } from "./file/tuning.ts";
export {
  type Load,
  noLoad,
  type PointsLoad,
  type ProfileLoad,
  type SineLoad,
  type SpikeLoad,
} from "./load/load.ts";
export { type SimulateOptions, simulate } from "./loop/simulate.ts";
export { type SyncView } from "./loop/workload-run.ts";
export { overWindow, type Window } from "./measure/rate.ts";
export { type ProjectedStep, type Projection, type ProjectOptions, project } from "./project/project.ts";
export { type MetricChange } from "./project/samples.ts";
export { type Delay } from "./random/delay.ts";
export { renderSvg, type SvgColumn } from "./render/svg.ts";
export { sparkline } from "./render/terminal-plot.ts";
export {
  type Autoscaler,
  type Controller,
  type MetricMeaning,
  type NodePool,
  type Objective,
  type PodModel,
  type PodStart,
  type ResourceQuery,
  type Scenario,
  type Scraping,
  type Workload,
} from "./scenario.ts";
export {
  type ColumnScores,
  checkExpectations,
  columnScores,
  type Expectation,
  type Expected,
  type Scores,
} from "./score/compare.ts";
export { type Range } from "./score/range.ts";
export {
  type ReplicaChange,
  type ScoreName,
  type SimulatedRun,
  type SimulatedWorkload,
  scoreNames,
  type WorkloadScores,
} from "./score/scores.ts";
export { type Series } from "./score/series.ts";
export { type StepResponse, stepResponses } from "./score/step-response.ts";
