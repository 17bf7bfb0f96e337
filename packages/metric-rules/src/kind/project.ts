// Cuts a MetricRule down on arrival to what is kept of it.
import { isFields } from "@plimsoll/core/internal/values";
import type { KubeObject } from "@plimsoll/kube";
import { type RuleCondition, type RuleStatus, statusSizes, type WatchedRule } from "./kind.ts";
import { readSpec } from "./read-spec.ts";

/** Labels, annotations and managed fields are not kept: tenants choose their size. */
export function projectRule(raw: KubeObject): WatchedRule {
  const { name, namespace, uid, resourceVersion, generation, creationTimestamp } = raw.metadata;
  return {
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(generation === undefined ? {} : { generation }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    read: readSpec(raw),
    status: readStatus("status" in raw ? raw.status : undefined),
  };
}

/** What we write; whatever another client has put there instead counts as no status, and what is longer as well. */
function readStatus(raw: unknown): RuleStatus | undefined {
  if (!isFields(raw)) return undefined;
  const { observedGeneration, conditions, query, series, sample, checkedAt } = raw;
  if (typeof observedGeneration !== "number" || !Array.isArray(conditions)) return undefined;
  return {
    observedGeneration,
    conditions: conditions.slice(0, 10).flatMap(readCondition),
    ...(isText(query, statusSizes.query) ? { query } : {}),
    ...(typeof series === "number" ? { series } : {}),
    ...(isFields(sample) && isText(sample["value"]) && isText(sample["at"])
      ? { sample: { value: sample["value"], at: sample["at"] } }
      : {}),
    ...(isText(checkedAt) ? { checkedAt } : {}),
  };
}

function readCondition(raw: unknown): readonly RuleCondition[] {
  if (!isFields(raw)) return [];
  const { type, status, reason, message, lastTransitionTime, observedGeneration } = raw;
  const isKnown =
    (type === "Accepted" || type === "Resolved") &&
    (status === "True" || status === "False" || status === "Unknown") &&
    isText(reason) &&
    isText(message, statusSizes.message) &&
    isText(lastTransitionTime) &&
    typeof observedGeneration === "number";
  return isKnown ? [{ type, status, reason, message, lastTransitionTime, observedGeneration }] : [];
}

/** Whoever may write a status chooses how long its strings are. */
function isText(value: unknown, max: number = statusSizes.word): value is string {
  return typeof value === "string" && value.length <= max;
}
