// The figures of a run.

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
