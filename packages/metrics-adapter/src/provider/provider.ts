/** What the API server half of the adapter asks of the engine half, and what it gets back. */

import type { CompiledRules } from "../config/rules.ts";
import type { Again } from "./again.ts";

export interface MetricInfo {
  /** Plural resource with its group: "pods", "deployments.apps", "ingresses.networking.k8s.io". */
  readonly groupResource: string;
  readonly namespaced: boolean;
  readonly metric: string;
}

export interface CustomMetricsProvider {
  list(): readonly MetricInfo[];
  get(query: CustomMetricQuery): Promise<Outcome<readonly CustomMetricValue[]>>;
}

export interface CustomMetricQuery {
  /** As it stood in the path: plural or singular, with or without its group. */
  readonly groupResource: string;
  /** Undefined at root scope. For metrics that describe a namespace: groupResource "namespaces", undefined here. */
  readonly namespace: string | undefined;
  /** An object's name, or "*" for every object that labelSelector selects. */
  readonly name: string;
  readonly metric: string;
  readonly labelSelector: string;
  readonly metricLabelSelector: string;
  readonly signal: AbortSignal;
}

/** metav1.LabelSelector. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[];
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
}

export interface ExternalMetricsProvider {
  list(): readonly string[];
  get(query: ExternalMetricQuery): Promise<Outcome<readonly ExternalMetricValue[]>>;
}

export interface ExternalMetricQuery {
  readonly namespace: string;
  readonly metric: string;
  readonly labelSelector: string;
  readonly signal: AbortSignal;
}

export interface ExternalMetricValue {
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly value: string;
  readonly atMs: number;
  readonly windowSeconds: number | undefined;
}

export interface ResourceMetricsProvider {
  pods(query: ResourceMetricsQuery): Promise<Outcome<readonly PodMetrics[]>>;
  nodes(query: ResourceMetricsQuery): Promise<Outcome<readonly NodeMetrics[]>>;
}

export interface ResourceMetricsQuery {
  /** Undefined for all namespaces, and always for nodes. */
  readonly namespace: string | undefined;
  /** One object; without it, all that both selectors select. */
  readonly name?: string;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly signal: AbortSignal;
}

export interface ResourceUsage {
  readonly cpu: string;
  readonly memory: string;
}

export interface ContainerUsage {
  readonly name: string;
  readonly usage: ResourceUsage;
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

export type Outcome<T> =
  | {
      readonly ok: true;
      readonly value: T;
      /** Absent: the same question has to be asked anew. */
      readonly again?: Again;
    }
  | { readonly ok: false; readonly failure: ProviderFailure };

export interface ProviderFailure {
  readonly code:
    | "MetricNotFound"
    | "ResourceNotFound"
    | "ObjectNotFound"
    | "NoObjectsSelected"
    | "BadRequest"
    | "Unavailable"
    | "Timeout"
    | "Internal";
  readonly message: string;
  readonly retryAfterSeconds?: number;
  readonly resource?: string;
  readonly name?: string;
}

export interface Engine {
  readonly custom: CustomMetricsProvider | undefined;
  readonly external: ExternalMetricsProvider | undefined;
  readonly resource: ResourceMetricsProvider | undefined;
  /** Never rejects because Prometheus is down: it keeps trying in the background. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Changes the rules while running: which providers there are, and what they know, change in one step when the new
   * rules' metrics have been listed.
   */
  useRules(rules: CompiledRules): Promise<void>;
  readiness(): { readonly ready: boolean; readonly message: string };
}
