// The kind MetricRule: what its objects have.
import type { LiveSource } from "@plimsoll/core/queries";
import type { LabelSelector } from "@plimsoll/core/selector";
import type { KubeObject } from "@plimsoll/kube";

export const version = "v1alpha1";
export const kind = "MetricRule";
export const resource = "metricrules";

/** Bounds that the definition and the reader share, in characters. */
export const sizes = { query: 4096, metric: 253, label: 128, resource: 253, source: 63 } as const;

/**
 * Bounds of the strings of a status that are kept, in characters. What we write is shorter: a query of the longest
 * specification, of which each character is escaped, with 20 matchers, and a message of 1,000 with its code.
 */
export const statusSizes = { query: 32_768, message: 1_100, word: 128 } as const;

/** What the objects of a metric are. */
export type MetricRuleSpec = {
  /** As requests name it. */
  readonly metric: string;
  /** The Prometheus that is queried, by its name in the configuration. */
  readonly source: string;
  /** As its author wrote it. Only its enforced form may be sent. */
  readonly query: string;
  /** Absent: Prometheus is asked. */
  readonly live?: RuleLive | undefined;
} & (
  | { readonly type: "Pods"; readonly label: string }
  /** `resource` is as written, such as `ingresses.networking.k8s.io`. */
  | { readonly type: "Object"; readonly resource: string; readonly label: string }
  | { readonly type: "External" }
);

/** How pods are scraped for a rule, and which. */
export interface RuleLive extends Omit<LiveSource, "podSelector"> {
  readonly pods: LivePods;
}

/** Pods of the namespace, selected by their labels or by the selector of what an object scales. */
export type LivePods =
  | { readonly type: "selector"; readonly selector: LabelSelector }
  | { readonly type: "target"; readonly target: ScaleTarget };

export interface ScaleTarget {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** A specification, or everything that is wrong with it. */
export type ReadSpec =
  | { readonly ok: true; readonly spec: MetricRuleSpec }
  | { readonly ok: false; readonly problems: readonly string[] };

/** What is kept of an object. */
export interface WatchedRule extends KubeObject {
  readonly read: ReadSpec;
  /** As the server has it; compared, and never trusted. */
  readonly status: RuleStatus | undefined;
  /** Among the rules that one object brings; absent: it is the only one. */
  readonly position?: number;
}

/** metav1.Condition. */
export interface RuleCondition {
  readonly type: "Accepted" | "Resolved";
  readonly status: "True" | "False" | "Unknown";
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration: number;
}

/** The status of an object. */
export interface RuleStatus {
  readonly observedGeneration: number;
  readonly conditions: readonly RuleCondition[];
  /** What is really asked. */
  readonly query?: string;
  /** Series of the last answer. */
  readonly series?: number;
  /** One value of it. */
  readonly sample?: { readonly value: string; readonly at: string };
  /** When the query was last tried for this status. */
  readonly checkedAt?: string;
}
