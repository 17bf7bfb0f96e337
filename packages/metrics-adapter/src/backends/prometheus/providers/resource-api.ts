// The interface of the provider of metrics.k8s.io.
import type { Awaitable } from "@plimsoll/component-base";
import type { Outcome } from "./outcome.ts";
import type { ContainerUsage, ResourceUsage } from "./usage.ts";

/** Usage of pods and nodes: metrics.k8s.io. */
export interface ResourceMetricsProvider {
  pods(query: ResourceMetricsQuery): Awaitable<Outcome<readonly PodMetrics[]>>;
  nodes(query: ResourceMetricsQuery): Awaitable<Outcome<readonly NodeMetrics[]>>;
}

export interface ResourceMetricsQuery {
  /** Undefined for all namespaces, and always for nodes. */
  readonly namespace: string | undefined;
  /** One object; without it, all that both selectors select. */
  readonly name?: string;
  readonly labelSelector: string;
  /** By name and namespace alone. */
  readonly fieldSelector: string;
  readonly signal: () => AbortSignal;
}

export interface PodMetrics {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly atMs: number;
  readonly windowSeconds: number;
  readonly containers: readonly ContainerUsage[];
}

export interface NodeMetrics {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly atMs: number;
  readonly windowSeconds: number;
  readonly usage: ResourceUsage;
}
