// A metric's way through the rules for programs: plimsoll/rules-query/v1.
import type { OtherRule, RuleCandidate, ServedItem } from "@plimsoll/rules";
import type { ClusterResult } from "./query.ts";

/** Fields are only added within one version of the schema. */
export interface RulesQueryDocument {
  readonly schema: "plimsoll/rules-query/v1";
  readonly at: string;
  readonly metric: string;
  /** Rules whose series have the metric's name. */
  readonly candidates: readonly RuleCandidate[];
  /** Rules that do not give the metric. */
  readonly others: readonly OtherRule[];
  /** What the API serves by these rules. */
  readonly served: {
    readonly status: number;
    readonly message?: string;
    readonly items: readonly ServedItem[];
  };
  /** What the cluster's own adapter serves; absent without --kubeconfig. */
  readonly cluster?: ClusterResult;
  readonly notes: readonly string[];
  readonly errors: readonly { readonly object: string; readonly message: string }[];
}
