// The entry of the package: scenarios, runs of them, and what they give.
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
export { type Delay } from "./random/delay.ts";
export { type ReplicaChange, type WorkloadScores } from "./score/scores.ts";
export { type Series } from "./score/series.ts";
