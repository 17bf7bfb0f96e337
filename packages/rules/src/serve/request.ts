// A request for a metric, as the metrics APIs get it, without a server.
import type { SelectorMatcher } from "../query/selector-matchers.ts";

/** What is requested of custom.metrics.k8s.io or external.metrics.k8s.io. */
export interface MetricRequest {
  readonly metric: string;
  /** Undefined: of objects that are in no namespace. */
  readonly namespace: string | undefined;
  /** Plural, with its group: "pods", "deployments.apps". Undefined: an external metric. */
  readonly resource: string | undefined;
  /** Of one object; "*" for all that have series. External metrics have none. */
  readonly name: string;
  readonly selector: readonly SelectorMatcher[];
}

/** What the API serves. */
export type Served =
  | { readonly ok: true; readonly status: 200; readonly items: readonly ServedItem[] }
  | { readonly ok: false; readonly status: number; readonly message: string };

/** A value as a client gets it. */
export interface ServedItem {
  /** Of the object; undefined for external metrics. */
  readonly name?: string;
  /** Of an external metric. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Canonical quantity. */
  readonly value: string;
}
