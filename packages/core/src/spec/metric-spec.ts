import type { CrossVersionObjectReference } from "./hpa.ts";
import type { LabelSelector } from "./object-meta.ts";

/** One entry of spec.metrics (autoscaling/v2). */
export interface MetricSpec {
  /** "Resource", "ContainerResource", "Pods", "Object" or "External". */
  readonly type: string;
  readonly resource?: ResourceMetricSource | undefined;
  readonly containerResource?: ContainerResourceMetricSource | undefined;
  readonly pods?: PodsMetricSource | undefined;
  readonly object?: ObjectMetricSource | undefined;
  readonly external?: ExternalMetricSource | undefined;
}

export interface ResourceMetricSource {
  readonly name: string;
  readonly target: MetricTarget;
}

export interface ContainerResourceMetricSource {
  readonly name: string;
  readonly container: string;
  readonly target: MetricTarget;
}

export interface PodsMetricSource {
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
}

export interface ObjectMetricSource {
  readonly describedObject: CrossVersionObjectReference;
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
}

export interface ExternalMetricSource {
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
}

export interface MetricIdentifier {
  readonly name: string;
  readonly selector?: LabelSelector | undefined;
}

export interface MetricTarget {
  /** "Utilization", "Value" or "AverageValue". */
  readonly type: string;
  /** A quantity. */
  readonly value?: string | undefined;
  /** A quantity. */
  readonly averageValue?: string | undefined;
  /** Percent of the requested amount. */
  readonly averageUtilization?: number | undefined;
}
