// The interface of the provider of custom.metrics.k8s.io.
import type { Awaitable } from "@plimsoll/component-base";
import type { Selector } from "@plimsoll/core/selector";
import type { MetricInfo } from "@plimsoll/rules";
import type { Outcome } from "./outcome.ts";
import type { MetricRequest } from "./pipeline.ts";
import type { LabelSelector } from "./selectors.ts";

/** Metrics of objects: custom.metrics.k8s.io. */
export interface CustomMetricsProvider {
  list(): readonly MetricInfo[];
  /** Of one kind, namespace, metric, window and selector. Synchronous when the result is cached. */
  get(query: CustomMetricQuery): Awaitable<Outcome<readonly CustomMetricValue[]>>;
}

export interface CustomMetricQuery {
  /** As in the path: plural or singular, with or without its group. */
  readonly groupResource: string;
  /** Undefined at root scope. For metrics that describe a namespace: groupResource "namespaces", undefined here. */
  readonly namespace: string | undefined;
  /** An object's name, or "*" for every object that labelSelector selects. */
  readonly name: string;
  readonly metric: string;
  readonly labelSelector: string;
  readonly metricLabelSelector: string;
  readonly signal: () => AbortSignal;
}

export interface CustomMetricValue {
  readonly kind: string;
  /** As upstream writes it: group + "/" + version, so "/v1" for core objects. */
  readonly apiVersion: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly metric: string;
  /** Canonical quantity. */
  readonly value: string;
  readonly atMs: number;
  readonly windowSeconds: number | undefined;
  readonly selector: LabelSelector | undefined;
  /** Of the first value of a WorkloadAutoscaler's query: the PromQL that gave all of them. */
  readonly query?: string | undefined;
}

/** A request for a metric of objects, with its selectors read. */
export interface CustomRequest extends MetricRequest {
  readonly query: CustomMetricQuery;
  readonly objectSelector: Selector;
}
