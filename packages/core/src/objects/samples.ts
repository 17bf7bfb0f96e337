import type { Timestamp } from "../values/time/rfc3339.ts";

/** What the metrics API returned for one metric: quantities as text; an empty list is a successful call. */
export type MetricSamples = FailedSamples | PodSamples | ObjectSample | ExternalSamples;

/** The call failed; `error` is the API's own text, before any client wraps it. */
export interface FailedSamples {
  readonly error: string;
  /** Of a query: why, in one word, as the API says it. */
  readonly reason?: string | undefined;
}

/** Resource, ContainerResource and Pods metrics. */
export interface PodSamples {
  readonly pods: readonly (ResourceSample | PodsSample)[];
  /** The PromQL that was sent for them; of queries only. */
  readonly query?: string | undefined;
}

/** Usage of one pod from the resource metrics API. */
export interface ResourceSample {
  readonly name: string;
  /** Absent is Go's zero time. */
  readonly timestamp?: Timestamp | undefined;
  readonly windowSeconds?: number | undefined;
  /** Container name → resource name → quantity. */
  readonly containers: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Value of one pod from the custom metrics API. */
export interface PodsSample {
  readonly name: string;
  readonly timestamp?: Timestamp | undefined;
  readonly windowSeconds?: number | undefined;
  /** A quantity. */
  readonly value: string;
}

/** One value with its instant. */
export interface ObjectSample {
  /** A quantity. */
  readonly value: string;
  readonly timestamp?: Timestamp | undefined;
}

/** All series of an External metric. */
export interface ExternalSamples {
  readonly values: readonly ObjectSample[];
  /** The PromQL that was sent for them; of queries only. */
  readonly query?: string | undefined;
}
