// Decides which MetricRules of a namespace are served, and why the others are not.
import { groupResourceOf } from "@plimsoll/rules";
import type { CompiledRule, Decided } from "../compile/compiled.ts";
import type { WatchedRule } from "../kind/kind.ts";

export interface NamespaceOptions {
  readonly rulesPerNamespace: number;
  /** Called for the rules within the limit only. */
  readonly compile: (rule: WatchedRule) => Decided;
  /** Why a rule beyond the limit is not served. Without the number of rules: each further one would change it. */
  readonly overLimit: string;
}

/** The decision on each rule, by its name. */
export type NamespaceDecisions = ReadonlyMap<string, Decided>;

/**
 * The oldest rules count where there are too many, and where two claim one metric: what was served goes on when another
 * rule is added. Of objects that bring several rules, the first of each counts before the second of any. Rules of the same second are ordered by name, so that all replicas decide alike.
 */
export function decideNamespace(
  rules: readonly WatchedRule[],
  { rulesPerNamespace, compile, overLimit }: NamespaceOptions,
): NamespaceDecisions {
  const sorted = rules.toSorted(byAge);
  const owners = new Map<string, CompiledRule>();
  const decisions = new Map<string, Decided>();
  const excess: Decided = { type: "refused", refusal: { reason: "LimitExceeded", message: overLimit } };
  for (const [index, rule] of sorted.entries())
    decisions.set(rule.metadata.name, index < rulesPerNamespace ? claim(owners, compile(rule)) : excess);
  return decisions;
}

function byAge(a: WatchedRule, b: WatchedRule): number {
  const [one, other] = [a, b].map(
    ({ metadata, position = 0 }) =>
      `${String(position).padStart(3, "0")} ${metadata.creationTimestamp ?? ""} ${metadata.name}`,
  );
  return one === other ? 0 : (one ?? "") < (other ?? "") ? -1 : 1;
}

/** A rule that is refused claims nothing. */
function claim(owners: Map<string, CompiledRule>, decided: Decided): Decided {
  if (decided.type !== "accepted") return decided;
  const key = claimOf(decided.rule);
  const owner = owners.get(key);
  if (owner === undefined) {
    owners.set(key, decided.rule);
    return decided;
  }
  const { metric, object } = decided.rule;
  const what = object === undefined ? "external metric" : `metric of ${groupResourceOf(object.info)}`;
  const message = `spec.metric: the older MetricRule ${owner.name} defines the ${what} ${metric}: choose another name, or delete one of the two`;
  return { type: "refused", refusal: { reason: "NameTaken", message } };
}

/** Identifies the metric within its namespace. Neither names nor resources have a blank. */
export function claimOf({ object, metric }: CompiledRule): string {
  return object === undefined ? metric : `${groupResourceOf(object.info)} ${metric}`;
}
