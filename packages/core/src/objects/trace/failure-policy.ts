import type { FailurePolicy } from "../failure-policy.ts";
import type { MetricErrorTrace } from "./metric.ts";

/** A metric failed, and its policy puts something in its place; it comes before the metric's own step. */
export interface FailurePolicyTrace {
  readonly kind: "failure-policy";
  /** Position in spec.metrics. */
  readonly index: number;
  /** Upstream's name of the metric. */
  readonly name: string;
  readonly policy: Exclude<FailurePolicy["policy"], "Block">;
  /** The policy waits until then, as its afterSeconds says; absent when it does not wait. */
  readonly waitsUntilMs?: number;
  /** Why the metric failed. */
  readonly error: MetricErrorTrace;
  /** False when the policy had nothing to offer: the metric blocks scale-downs. */
  readonly isApplied: boolean;
  /** HoldLast: when the samples that count were read. */
  readonly sampledAtMs?: number;
  /** Assume: the quantity. */
  readonly value?: string;
  /** Fallback: what it proposes, at most maxReplicas. */
  readonly replicas?: number;
}
