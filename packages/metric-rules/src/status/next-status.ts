// The status that an object should have.
import { withConditionCode } from "@plimsoll/component-base/catalog";
import type { Decided } from "../compile/compiled.ts";
import type { RuleCondition, RuleStatus } from "../kind/kind.ts";
import type { RuleCheck } from "./check-rule.ts";

/** What a status is made of. */
export interface StatusParts {
  readonly generation: number;
  readonly decided: Exclude<Decided, { readonly type: "pending" }>;
  /** Undefined: what the object's status has of it stays. */
  readonly check: RuleCheck | undefined;
  /** As the server has it. */
  readonly former: RuleStatus | undefined;
  readonly nowMs: number;
}

/** Tenants choose what is in a message. */
const maxMessage = 1_000;

/** Pure. The time of a condition changes with its status only. */
export function nextStatus(parts: StatusParts): RuleStatus {
  const { generation, decided, check, former } = parts;
  if (decided.type === "refused") {
    const { reason, message } = decided.refusal;
    const accepted = condition(parts, "Accepted", { status: "False", reason, message });
    const resolved = condition(parts, "Resolved", {
      status: "False",
      reason: "NotAccepted",
      message: "the rule is not accepted",
    });
    return { observedGeneration: generation, conditions: [accepted, resolved] };
  }
  const accepted = condition(parts, "Accepted", {
    status: "True",
    reason: "Accepted",
    message: "the rule is served",
  });
  const { query } = decided.rule;
  const kept = former?.conditions.find(({ type }) => type === "Resolved");
  // What another query gave says nothing of this one.
  const isKept = kept?.observedGeneration === generation && former?.query === query;
  const common = { observedGeneration: generation, query };
  if (check !== undefined)
    return { ...common, conditions: [accepted, checkedCondition(parts, check)], ...checkedValues(check) };
  return isKept
    ? { ...common, conditions: [accepted, kept], ...keptValues(former) }
    : { ...common, conditions: [accepted, unchecked(parts)] };
}

type Values = Pick<RuleStatus, "series" | "sample" | "checkedAt">;

function keptValues({ series, sample, checkedAt }: Values = {}): Values {
  return {
    ...(series === undefined ? {} : { series }),
    ...(sample === undefined ? {} : { sample }),
    ...(checkedAt === undefined ? {} : { checkedAt }),
  };
}

function checkedValues({ series, sample, atMs }: RuleCheck): Values {
  return {
    ...(series === undefined ? {} : { series }),
    ...(sample === undefined ? {} : { sample: { value: sample.value, at: instant(sample.atMs) } }),
    checkedAt: instant(atMs),
  };
}

function unchecked(parts: StatusParts): RuleCondition {
  const message = "the query has not been tried yet";
  return condition(parts, "Resolved", { status: "Unknown", reason: "NotChecked", message });
}

function checkedCondition(parts: StatusParts, { isResolved, reason, message }: RuleCheck): RuleCondition {
  return condition(parts, "Resolved", { status: isResolved ? "True" : "False", reason, message });
}

function condition(
  { generation, former, nowMs }: StatusParts,
  type: RuleCondition["type"],
  { status, reason, message }: Pick<RuleCondition, "status" | "reason" | "message">,
): RuleCondition {
  const known = former?.conditions.find((one) => one.type === type);
  return {
    type,
    status,
    reason,
    message: withConditionCode(reason, message.slice(0, maxMessage)),
    lastTransitionTime: known?.status === status ? known.lastTransitionTime : instant(nowMs),
    observedGeneration: generation,
  };
}

/** Whether a status says the same, whenever it was checked. */
export function isSameStatus(one: RuleStatus | undefined, other: RuleStatus): boolean {
  return one !== undefined && contentOf(one) === contentOf(other);
}

function contentOf({ observedGeneration, conditions, query, series, sample }: RuleStatus): string {
  const sorted = conditions.toSorted((a, b) => (a.type < b.type ? -1 : 1));
  const parts = sorted.map((one) => [one.type, one.status, one.reason, one.message, one.observedGeneration]);
  return JSON.stringify([observedGeneration, parts, query, series, sample?.value]);
}

function instant(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d+Z$/, "Z");
}
