import type { JsonFloat } from "./json-float.ts";

/** Everything that went into one metric's proposal; the arithmetic can be redone from it by hand. */
export interface MetricTrace {
  readonly kind: "metric";
  /** Position in spec.metrics. */
  readonly index: number;
  readonly type: string;
  /** Upstream's name of the metric, as used in reasons and messages. */
  readonly name: string;
  /** Of a query: the PromQL that was sent, or as its author wrote it where it was not. */
  readonly query?: string;
  /** Of a live query: where its values are from, such as "port metrics of the pods, every 1s". */
  readonly live?: string;
  readonly target?: TargetTrace;
  /** scale.spec.replicas. */
  readonly currentReplicas: number;
  /** scale.status.replicas, where the formula uses it. */
  readonly statusReplicas?: number;
  readonly tolerance?: { readonly down: number; readonly up: number };
  /** One per pod, for metrics that look at pods one by one. */
  readonly pods?: readonly PodTrace[];
  readonly counts?: PodCounts;
  /** The values of an Object or External metric, in the order served. */
  readonly values?: readonly string[];
  /** What they add up to, where a running sum below zero counted as the largest number. A quantity. */
  readonly sum?: string;
  readonly first?: PassTrace;
  /** The second look, with missing and unready pods filled in. */
  readonly second?: PassTrace & { readonly missingAs?: string; readonly unreadyAs?: string };
  readonly rule?: ProposalRule;
  readonly replicas?: number;
  readonly error?: MetricErrorTrace;
}

/** What a metric was compared with. */
export interface TargetTrace {
  readonly type: "Utilization" | "AverageValue" | "Value";
  /** A quantity, or the percentage without a sign. */
  readonly value: string;
}

/** How many pods are in each group. */
export interface PodCounts {
  readonly ready: number;
  readonly unready: number;
  readonly missing: number;
  readonly ignored: number;
  /** Samples for names that no selected pod has. */
  readonly extra: number;
}

/** One pod in the calculation of a metric. */
export interface PodTrace {
  readonly name: string;
  readonly group: "ready" | "unready" | "missing" | "ignored" | "extra";
  /** Why it is in that group, as a key of `podReasons`. */
  readonly why: PodReason;
  /** Quantities. */
  readonly usage?: string;
  readonly request?: string;
}

/** Why a pod is in its group; `podReasons` has the words. */
export type PodReason =
  | "has-sample"
  | "being-deleted"
  | "failed"
  | "succeeded"
  | "pending"
  | "no-sample"
  | "no-ready-condition"
  | "no-start-time"
  | "initializing-not-ready"
  | "initializing-sample-too-early"
  | "never-ready"
  | "running-and-ready"
  | "not-running"
  | "not-ready"
  | "not-selected";

/** One pass over the samples. */
export interface PassTrace {
  /** Sum over the pods, or the whole of an Object or External metric. A quantity. */
  readonly total: string;
  /** Sum of the requests of those pods. A quantity. */
  readonly requested?: string;
  /** Pods in the sum. */
  readonly pods?: number;
  /** What is compared with the target: percent for utilization, otherwise a quantity. */
  readonly usage: string;
  readonly ratio: JsonFloat;
  readonly withinTolerance: boolean;
}

/** The rule that turned the ratio into a count. */
export type ProposalRule =
  | "within-tolerance"
  | "ratio-times-ready"
  | "ratio-times-all"
  | "direction-changed"
  | "against-direction"
  | "from-zero"
  | "total-over-target";

/** Why a metric failed. */
export interface MetricErrorTrace {
  /** Reason of the condition and event, for example FailedGetResourceMetric. */
  readonly reason: string;
  /** Text of the condition and event. */
  readonly message: string;
}
