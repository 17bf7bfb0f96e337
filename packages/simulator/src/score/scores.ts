// The figures of a run.
import type { Series } from "./series.ts";

/** Amounts over a whole run, of one workload. */
export interface WorkloadScores {
  /** Requests: offered = served + lost + backlog at the end. */
  readonly offered: number;
  readonly served: number;
  readonly lost: number;
  readonly backlog: number;
  readonly backlogMax: number;
  /** ∫ pods, and ∫ Ready pods, in hours. */
  readonly podHours: number;
  readonly readyPodHours: number;
  /** ∫ load/(utilization × capacity of a pod), in hours. */
  readonly idealPodHours: number;
  /** ∫ max(0, load/(utilization × capacity) − Ready pods). */
  readonly shortPodSeconds: number;
  /** Load above the utilization of the objective, latency above its limit, or a backlog. */
  readonly hotSeconds: number;
  readonly atMaxSeconds: number;
  /** ∫ pods that wait for a node. */
  readonly pendingPodSeconds: number;
  /** The load moves so fast that the formulas of latency do not hold. */
  readonly transientSeconds: number;
  /** Changes of the desired replicas, and those against the one before within ten minutes. */
  readonly events: number;
  readonly reversals: number;
  readonly podsStarted: number;
  readonly crashes: number;
  readonly replicasMax: number;
  /** Of all requests where it is known, at the quantile of the objective or 0.95; undefined where it never is. */
  readonly latencyMs: number | undefined;
}

/** A change that a decision made. */
export interface ReplicaChange {
  readonly atMs: number;
  readonly from: number;
  readonly to: number;
}

/** What may be bounded: amounts of a run. */
export const scoreNames = [
  "offered",
  "served",
  "lost",
  "backlog",
  "backlogMax",
  "podHours",
  "readyPodHours",
  "idealPodHours",
  "shortPodSeconds",
  "hotSeconds",
  "atMaxSeconds",
  "pendingPodSeconds",
  "transientSeconds",
  "events",
  "reversals",
  "podsStarted",
  "crashes",
  "replicasMax",
  "latencyMs",
] as const;

/** Name of an amount of a run. */
export type ScoreName = (typeof scoreNames)[number];

/** One run, workload by workload in the order of the scenario. */
export interface SimulatedRun {
  readonly workloads: readonly SimulatedWorkload[];
  /** Integral of the nodes; absent without a node pool. */
  readonly nodeHours?: number;
  readonly syncs: number;
}

/** What became of one workload. */
export interface SimulatedWorkload {
  readonly namespace: string;
  readonly name: string;
  readonly scores: WorkloadScores;
  /** Every change of the desired replicas, in time. */
  readonly changes: readonly ReplicaChange[];
  readonly series: Series;
}
