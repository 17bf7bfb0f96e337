// Everything that one run is made from: plain JSON, complete, without defaults.
import type { ControllerOptions, FailurePolicy, HorizontalPodAutoscaler, HpaMemory } from "@plimsoll/core";
import type { ScheduleSpec } from "@plimsoll/core/schedules";
import type { Load } from "./load/load.ts";
import type { Delay } from "./random/delay.ts";

/** One run: a cluster, its load, and at most one autoscaler for each workload. Equal scenarios give equal runs. */
export interface Scenario {
  readonly startMs: number;
  readonly durationMs: number;
  /** Decides every random number, each of a stream of its own. A whole number. */
  readonly seed: number;
  readonly controller: Controller;
  readonly scraping: Scraping;
  /** Absent: every pod finds a node at once. */
  readonly nodes?: NodePool;
  readonly workloads: readonly Workload[];
}

/** The controller's loop. */
export interface Controller {
  readonly syncPeriodMs: number;
  /** The next sync is so much later than the period. */
  readonly slipMs: number;
  /** The first sync of every autoscaler, after the start; absent: drawn from one period. */
  readonly firstSyncMs?: number;
  /** From the write of the scale until pods are created or deleted. */
  readonly reactionMs: number;
  readonly options: Partial<ControllerOptions>;
}

/** How metrics reach the autoscaler. */
export interface Scraping {
  readonly intervalMs: number;
  /** Part of the scrapes that fail, 0–1. */
  readonly failures: number;
  /** How old a response of the metrics API may be. */
  readonly cacheAgeMs: number;
  /** Whose rules of evaluation: they differ at the edges of a window. */
  readonly promql: "2" | "3";
  /** How far back a plain selector looks. */
  readonly lookbackMs: number;
  /** Between two measurements of the resource metrics. */
  readonly resourceIntervalMs: number;
  /** The resource metrics are a query over the scrapes, as the metrics adapter has them. */
  readonly resourceQuery?: ResourceQuery;
}

/** How the metrics adapter measures cpu. */
export interface ResourceQuery {
  readonly query: "rate" | "irate";
  readonly rangeMs: number;
  /** What the API says that a value covers. */
  readonly windowMs: number;
}

/** Nodes that are added while pods are Pending, and removed when they are empty. */
export interface NodePool {
  readonly podsPerNode: number;
  /** In cores and bytes; absent: requests do not count. */
  readonly cpu?: number;
  readonly memory?: number;
  readonly initial: number;
  readonly max: number;
  readonly provisioning: Delay;
  readonly removeAfterMs: number;
}

/** What is scaled. */
export interface Workload {
  readonly namespace: string;
  readonly name: string;
  readonly kind: string;
  /** Pods at the start; they are Ready. */
  readonly replicas: number;
  readonly load: Load;
  readonly pod: PodModel;
  /** What the names of Pods, Object and External metrics mean here. */
  readonly metrics: Readonly<Record<string, MetricMeaning>>;
  /** Object and External metrics whose values are given, by name. */
  readonly recorded?: Readonly<Record<string, RecordedTotal>>;
  readonly objective: Objective;
  readonly autoscaler?: Autoscaler;
}

/** What decides about a workload. */
export interface Autoscaler {
  readonly hpa: HorizontalPodAutoscaler;
  /** Of a WorkloadAutoscaler. */
  readonly schedules?: readonly ScheduleSpec[];
  readonly failurePolicies?: readonly FailurePolicy[];
  /** Over those of the controller. */
  readonly options?: Partial<ControllerOptions>;
  readonly syncPeriodMs?: number;
  /** From a record: what it remembers at the start. */
  readonly memory?: HpaMemory;
}

/** How a pod of a workload behaves. */
export interface PodModel {
  readonly container: string;
  /** In cores and bytes. */
  readonly requests: { readonly cpu?: number; readonly memory?: number };
  readonly limits: { readonly cpu?: number; readonly memory?: number };
  /** Mean time that a request takes, and its standard deviation over its mean. */
  readonly serviceTimeMs: number;
  readonly serviceVariation: number;
  /** Requests that a pod serves at a time. */
  readonly concurrency: number;
  /** Core seconds. */
  readonly cpuPerRequest: number;
  /** Cores that a pod uses without requests. */
  readonly idleCpu: number;
  /** Bytes: without requests, and for each that is served or waits. */
  readonly memory: { readonly base: number; readonly perInFlight: number; readonly isReleased: boolean };
  /** "shared": one queue for all pods. "random": each pod has its own. */
  readonly balancing: "shared" | "random";
  readonly start: PodStart;
  /** Crashes in an hour of being Ready. */
  readonly crashesPerHour: number;
  /** From the request to delete until the pod is gone, and how long of it traffic still arrives. */
  readonly terminationMs: number;
  readonly drainMs: number;
  /** Of all pods together: what waits beyond is lost. Absent: no limit. */
  readonly queueLimit?: number;
  /** Who waits longer is lost. */
  readonly timeoutMs?: number;
}

/** The steps of a pod from its creation to Ready. */
export interface PodStart {
  readonly schedule: Delay;
  readonly pull: Delay;
  readonly ready: Delay;
  /** Cores used beside the requests, from Running on. */
  readonly burn?: { readonly cores: number; readonly forMs: number };
}

/** What a metric measures, and how it is queried. */
export interface MetricMeaning {
  /**
   * "requests" are those served, "offered" those that arrive; both count up, as "cpu" does in core seconds. "backlog"
   * waits, "in-flight" waits or is served, "memory" is in bytes.
   */
  readonly of: "requests" | "offered" | "cpu" | "backlog" | "in-flight" | "memory";
  readonly query:
    | "rate"
    | "irate"
    | "increase"
    | "value"
    | "avg_over_time"
    | "max_over_time"
    | "min_over_time"
    | "sum_over_time"
    | "count_over_time"
    | "last_over_time";
  /** Unused by "value". */
  readonly windowMs: number;
}

/** Values that were recorded, each until the next. */
export interface RecordedTotal {
  readonly atMs: readonly number[];
  readonly values: readonly number[];
  /** The Ready pods share them: more pods, less each. */
  readonly isShared: boolean;
}

/** When the workload is well. */
export interface Objective {
  /** Load over capacity, 0–1, above which it is hot. */
  readonly utilization: number;
  readonly latency?: { readonly quantile: number; readonly withinMs: number };
}
