import type { LabelSelector } from "../values/selector/label-selector.ts";
import type { CrossVersionObjectReference } from "./object-reference.ts";
import type { LiveSource } from "./queries/live.ts";

/** One entry of spec.metrics (autoscaling/v2). */
export interface MetricSpec {
  /** "Resource", "ContainerResource", "Pods", "Object" or "External". */
  readonly type: string;
  readonly resource?: ResourceMetricSource | undefined;
  readonly containerResource?: ContainerResourceMetricSource | undefined;
  readonly pods?: PodsMetricSource | undefined;
  readonly object?: ObjectMetricSource | undefined;
  readonly external?: ExternalMetricSource | undefined;
  /** Of a WorkloadAutoscaler: the query that gives the values of the Pods or External metric. */
  readonly query?: QueryMetricSource | undefined;
}

/** A query that an object brings along. */
export interface QueryMetricSource {
  /** As its author wrote it; what is sent has the namespace in every selector. */
  readonly promql: string;
  /** The Prometheus that is queried, by its name in the adapter's configuration. */
  readonly source: string;
  /** Label of the result with the name of the pod; absent: one value for the whole workload. */
  readonly podLabel?: string | undefined;
  /** How the pods are scraped for it; absent: Prometheus is asked. */
  readonly live?: LiveSource | undefined;
  /** What the metrics API is asked for; it changes with whatever the values depend on. */
  readonly metric: string;
}

/** Usage of a resource by each pod. */
export interface ResourceMetricSource {
  readonly name: string;
  readonly target: MetricTarget;
}

/** Usage of a resource by one container of each pod. */
export interface ContainerResourceMetricSource {
  readonly name: string;
  readonly container: string;
  readonly target: MetricTarget;
}

/** A metric that each pod has a value of. */
export interface PodsMetricSource {
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
}

/** A metric of one object of the cluster. */
export interface ObjectMetricSource {
  readonly describedObject: CrossVersionObjectReference;
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
}

/** A metric that belongs to no object of the cluster. */
export interface ExternalMetricSource {
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
}

/** Name and label selector of a metric. */
export interface MetricIdentifier {
  readonly name: string;
  readonly selector?: LabelSelector | undefined;
}

/** What a metric is compared with. */
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
