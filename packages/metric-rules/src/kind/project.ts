// Cuts a MetricRule down on arrival to what is kept of it.
import type { KubeObject } from "@plimsoll/kube";
import type { RuleCondition, RuleStatus, WatchedRule } from "./kind.ts";
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

/** What we write; whatever another client has put there instead counts as no status. */
function readStatus(raw: unknown): RuleStatus | undefined {
  if (!isRecord(raw)) return undefined;
  const { observedGeneration, conditions, query, series, sample, checkedAt } = raw;
  if (typeof observedGeneration !== "number" || !Array.isArray(conditions)) return undefined;
  return {
    observedGeneration,
    conditions: conditions.slice(0, 10).flatMap(readCondition),
    ...(typeof query === "string" ? { query } : {}),
    ...(typeof series === "number" ? { series } : {}),
    ...(isRecord(sample) && typeof sample["value"] === "string" && typeof sample["at"] === "string"
      ? { sample: { value: sample["value"], at: sample["at"] } }
      : {}),
    ...(typeof checkedAt === "string" ? { checkedAt } : {}),
  };
}

function readCondition(raw: unknown): readonly RuleCondition[] {
  if (!isRecord(raw)) return [];
  const { type, status, reason, message, lastTransitionTime, observedGeneration } = raw;
  const isKnown =
    (type === "Accepted" || type === "Resolved") &&
    (status === "True" || status === "False" || status === "Unknown") &&
    typeof reason === "string" &&
    typeof message === "string" &&
    typeof lastTransitionTime === "string" &&
    typeof observedGeneration === "number";
  return isKnown ? [{ type, status, reason, message, lastTransitionTime, observedGeneration }] : [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
