// What a run gives.
import type { DecideInput, DecideResult, HpaMemory } from "@plimsoll/core";
import type { ReplicaChange, WorkloadScores } from "../score/scores.ts";
import type { Series } from "../score/series.ts";

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

/** One decision while it is made: valid until the callback returns, but for what it refers to. */
export interface SyncView {
  /** Position in the scenario. */
  readonly workload: number;
  readonly atMs: number;
  readonly input: DecideInput;
  /** What `decide` was given. */
  readonly memory: HpaMemory | undefined;
  readonly result: DecideResult;
}

/** How a run is made; none of it changes what happens in it. */
export interface SimulateOptions {
  /** Called in the order of time for each workload; for several of them only where they share nodes. */
  readonly onSync?: (sync: SyncView) => void;
  /** Buckets of the series: 0 keeps none; 1,440 when absent. */
  readonly seriesPoints?: number;
  /** Throws its reason between two syncs. */
  readonly signal?: { throwIfAborted(): void };
}
