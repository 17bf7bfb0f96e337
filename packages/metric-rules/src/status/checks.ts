// The last check of each rule, and when the next one is due.
import type { WatchedRule } from "../kind/kind.ts";
import type { RuleCheck } from "./check-rule.ts";

export type Checks = ReturnType<typeof createChecks>;

/** Values are refreshed so seldom that 5,000 rules take three queries a second. */
const refreshMs = 1_800_000;
/** What gave no value is tried more often. */
const unresolvedMs = 120_000;

/** @param salt 0 ≤ x < 1; another one for each replica, so that mostly one of them checks a rule. */
export function createChecks(salt: number) {
  const checks = new Map<string, { readonly identity: string; readonly check: RuleCheck }>();
  const last = (rule: WatchedRule): RuleCheck | undefined => {
    const known = checks.get(keyOf(rule));
    return known?.identity === identityOf(rule) ? known.check : undefined;
  };
  return {
    /** Of this generation of this object. */
    last,
    checked: (rule: WatchedRule, check: RuleCheck) =>
      void checks.set(keyOf(rule), { identity: identityOf(rule), check }),
    /** In milliseconds since 1970; before now for a rule that was never checked. */
    dueAtMs(rule: WatchedRule): number {
      const own = last(rule);
      const writtenMs = writtenAtMs(rule);
      const spread = 1 + fraction(keyOf(rule), salt) / 4;
      // The status of the object may not have the own check yet.
      const isOwn = own !== undefined && own.atMs >= writtenMs;
      const [atMs, isGood] = isOwn ? [own.atMs, own.isResolved] : [writtenMs, isResolved(rule)];
      return atMs + (isGood ? refreshMs : unresolvedMs) * spread;
    },
    /** Whether the last check is later than the one that the status has. */
    isUnwritten(rule: WatchedRule): boolean {
      const own = last(rule);
      // A status has whole seconds.
      return own !== undefined && Math.floor(own.atMs / 1_000) * 1_000 > writtenAtMs(rule);
    },
    forget: (rule: WatchedRule) => void checks.delete(keyOf(rule)),
  };
}

/** When the check was that the status has, of whichever replica; 0 for none. */
function writtenAtMs({ status }: WatchedRule): number {
  return Date.parse(status?.checkedAt ?? "") || 0;
}

function isResolved({ status }: WatchedRule): boolean {
  return status?.conditions.some((one) => one.type === "Resolved" && one.status === "True") === true;
}

function keyOf({ metadata: { namespace = "", name } }: WatchedRule): string {
  return `${namespace}/${name}`;
}

function identityOf({ metadata: { uid = "", generation = 0 } }: WatchedRule): string {
  return `${uid} ${generation}`;
}

/** 0 ≤ x < 1, the same for the same arguments. */
function fraction(text: string, salt: number): number {
  let sum = salt * 1_009;
  for (let at = 0; at < text.length; at += 1) sum = (sum * 31 + text.charCodeAt(at)) % 1_009;
  return sum / 1_009;
}
