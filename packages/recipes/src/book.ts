// The recipe book: rules for the sources of traffic and work that clusters have, as data.
import book from "./book.json" with { type: "json" };

/** Rules for one source, and how to find out that a cluster has it. */
export interface Recipe {
  /** Its folder, such as "envoy-gateway". */
  readonly name: string;
  /** Such as "Envoy Gateway". */
  readonly title: string;
  /** What the source is: in front of workloads, the workload's own pods, a queue, or a model server. */
  readonly kind: "gateway" | "pods" | "queue" | "inference";
  /** Where the exposition of its test is from. */
  readonly provenance: "run here" | "documentation" | "source";
  /** The same in words. */
  readonly from: string;
  /** Resources that the metrics describe, such as "services"; "external" where they describe none. */
  readonly objects: readonly string[];
  /** A selector of its series, as PromQL. */
  readonly series: string;
  /** Names of the metrics that only this source exports, as a regular expression; empty where any proxy has them. */
  readonly names: string;
  /** Since when the source gets no fixes, and where to move. */
  readonly retired?: { readonly since: string; readonly instead: string };
  /** Controllers of IngressClasses, as regular expressions. */
  readonly ingressControllers: readonly string[];
  /** Controllers of GatewayClasses, as regular expressions. */
  readonly gatewayControllers: readonly string[];
  /** Labels that have another name where Prometheus honors the source's labels. */
  readonly renamed: Readonly<Record<string, string>>;
  /** Labels that select the values of one workload; of external metrics. */
  readonly selector: readonly string[];
  /** The range of its rates in the rules, or the age that a value may have, such as "2m". */
  readonly window: string;
  /** What a replica should carry, as the target of an autoscaler. */
  readonly target: { readonly type: "AverageValue" | "Value"; readonly value: string };
  /** The first Prometheus that can have its series. */
  readonly prometheus: number;
  /** Whether the series join a namespace and a name by a character that both may have. */
  readonly isAmbiguous: boolean;
  /** The rules, as a rules file. */
  readonly rules: string;
  /** Sentences for whoever uses it. */
  readonly notes: readonly string[];
}

/** All recipes, by name. */
export const recipes = book as readonly Recipe[];
