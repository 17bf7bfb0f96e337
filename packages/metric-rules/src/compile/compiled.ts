// What a MetricRule compiles to: a query that may be sent, or why there is none.
import type { Plan } from "@plimsoll/live";
import type { ClusterResource } from "@plimsoll/rules";
import type { RuleLive } from "../kind/kind.ts";

/** A rule that can be served. Never changed afterwards, and the same object for as long as nothing of it changes. */
export interface CompiledRule {
  readonly namespace: string;
  readonly name: string;
  readonly metric: string;
  readonly source: string;
  /** Passed the enforcement: every selector has the matcher of the namespace, and what joins copy is bounded. */
  readonly query: string;
  /** The label that has the namespace of a series. */
  readonly namespaceLabel: string;
  /** How far the query looks back, where it has exactly one range. */
  readonly windowSeconds: number | undefined;
  /** Undefined for type External. */
  readonly object: { readonly info: ClusterResource; readonly label: string } | undefined;
  /** Present: the query reads the pods themselves, and no source. */
  readonly live?: CompiledLive | undefined;
}

/** A query over samples of pods that are scraped for it. */
export interface CompiledLive extends RuleLive {
  readonly plan: Plan;
}

/**
 * - `InvalidSpec`: a field is missing or cannot be used.
 * - `NamespaceMatcher`: a selector has a matcher of the namespace's label.
 * - `Unparsable`: the query is not PromQL.
 * - `Unsupported`: the query has a part that is not on the list of what may be sent.
 * - `TooCostly`: the query is over a bound.
 * - `LimitExceeded`: the namespace has too many rules.
 * - `UnknownSource`: the configuration has no source of this name.
 * - `SourceNotForNamespace`: the source serves other namespaces.
 * - `UnknownResource`: the cluster has no such resource.
 * - `ResourceNotNamespaced`: objects of the resource are in no namespace.
 * - `LiveDisabled`: the adapter scrapes no pods.
 * - `NameTaken`: an older rule of the namespace defines the metric.
 */
export type RefusalReason =
  | "InvalidSpec"
  | "NamespaceMatcher"
  | "Unparsable"
  | "Unsupported"
  | "TooCostly"
  | "LimitExceeded"
  | "UnknownSource"
  | "SourceNotForNamespace"
  | "UnknownResource"
  | "ResourceNotNamespaced"
  | "LiveDisabled"
  | "NameTaken";

/** Why a rule is not served. */
export interface Refusal {
  readonly reason: RefusalReason;
  /** Names the field, the value and what to do. */
  readonly message: string;
}

export type Decided =
  | { readonly type: "accepted"; readonly rule: CompiledRule }
  | { readonly type: "refused"; readonly refusal: Refusal }
  /** The cluster's resources have not been read yet. */
  | { readonly type: "pending" };
