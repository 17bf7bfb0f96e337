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
  const owners = new Map<string, CompiledRule>();
  const decisions = new Map<string, Decided>();
  for (const rule of oldestOf(rules, rulesPerNamespace))
    decisions.set(rule.metadata.name, claim(owners, compile(rule)));
  const excess: Decided = { type: "refused", refusal: { reason: "LimitExceeded", message: overLimit } };
  if (decisions.size < rules.length)
    for (const { metadata } of rules) if (!decisions.has(metadata.name)) decisions.set(metadata.name, excess);
  return decisions;
}

/** In their order. A namespace may have a hundred thousand rules, and a tenant who edits one: they are not sorted. */
function oldestOf(rules: readonly WatchedRule[], max: number): readonly WatchedRule[] {
  if (rules.length <= max) return rules.toSorted(byAge);
  const oldest = rules.slice(0, max).toSorted(byAge);
  for (const rule of rules.slice(max)) {
    const last = oldest.at(-1);
    if (last === undefined || byAge(rule, last) > 0) continue;
    oldest.splice(placeOf(rule, oldest), 0, rule);
    oldest.pop();
  }
  return oldest;
}

/** How many are older. */
function placeOf(rule: WatchedRule, sorted: readonly WatchedRule[]): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const one = sorted[middle];
    if (one !== undefined && byAge(rule, one) > 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function byAge(
  { metadata: a, position: one = 0 }: WatchedRule,
  { metadata: b, position: other = 0 }: WatchedRule,
): number {
  return (
    one - other || inOrder(a.creationTimestamp ?? "", b.creationTimestamp ?? "") || inOrder(a.name, b.name)
  );
}

function inOrder(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
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
  const message = `spec.metric: the older MetricRule ${owner.name} defines the ${what} ${metric}: use another name, or delete one of the two`;
  return { type: "refused", refusal: { reason: "NameTaken", message } };
}

/** Identifies the metric within its namespace. Neither names nor resources have a blank. */
export function claimOf({ object, metric }: CompiledRule): string {
  return object === undefined ? metric : `${groupResourceOf(object.info)} ${metric}`;
}
