import type { Timestamp } from "../values/time/rfc3339.ts";
import type { MetricIdentifier } from "./metric-spec.ts";
import type { CrossVersionObjectReference } from "./object-reference.ts";
import type { SchedulesStatus } from "./schedules-status.ts";

/** status of an autoscaling/v2 HPA as stored; absent fields are zero. */
export interface StoredHpaStatus {
  readonly observedGeneration?: number | undefined;
  readonly lastScaleTime?: Timestamp | undefined;
  readonly currentReplicas?: number | undefined;
  readonly desiredReplicas?: number | undefined;
  readonly currentMetrics?: readonly MetricStatus[] | null | undefined;
  readonly conditions?: readonly StoredHpaCondition[] | null | undefined;
  /** Of a WorkloadAutoscaler with schedules; the API of HPAs has no such field. */
  readonly schedules?: SchedulesStatus | null | undefined;
}

/** One entry of status.conditions as stored. */
export interface StoredHpaCondition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime?: Timestamp | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly observedGeneration?: number | undefined;
}

/** status as `decide` produces it: plain JSON, instants as RFC 3339 text with whole seconds. */
export interface HpaStatus {
  readonly observedGeneration?: number;
  readonly lastScaleTime?: string;
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  /** null where upstream leaves the list nil. */
  readonly currentMetrics: readonly MetricStatus[] | null;
  readonly conditions: readonly HpaCondition[];
  /** Present with `schedules` in the input. */
  readonly schedules?: SchedulesStatus;
}

/** One entry of status.conditions, as `decide` writes it. */
export interface HpaCondition {
  readonly type: string;
  readonly status: "True" | "False" | "Unknown";
  readonly lastTransitionTime?: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
}

/** One entry of status.currentMetrics; `{ type: "" }` is a metric that failed. */
export interface MetricStatus {
  readonly type: string;
  readonly resource?: { readonly name: string; readonly current: MetricValueStatus } | undefined;
  readonly containerResource?:
    | { readonly name: string; readonly container: string; readonly current: MetricValueStatus }
    | undefined;
  readonly pods?: { readonly metric: MetricIdentifier; readonly current: MetricValueStatus } | undefined;
  readonly object?:
    | {
        readonly describedObject: CrossVersionObjectReference;
        readonly metric: MetricIdentifier;
        readonly current: MetricValueStatus;
      }
    | undefined;
  readonly external?: { readonly metric: MetricIdentifier; readonly current: MetricValueStatus } | undefined;
}

/** The current value of a metric, as status.currentMetrics has it. */
export interface MetricValueStatus {
  /** A quantity. */
  readonly value?: string | undefined;
  /** A quantity. */
  readonly averageValue?: string | undefined;
  /** Percent. */
  readonly averageUtilization?: number | undefined;
}
