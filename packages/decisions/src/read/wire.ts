// What the endpoint sends, checked as far as it is used.
import {
  type AppliedDecision,
  type Decision,
  type HeldBy,
  type OtherWriter,
  summaryState,
  summaryStates,
  type Verdict,
} from "@plimsoll/core";
import { fieldsOf, listOf, textOf } from "@plimsoll/core/internal/values";
import type {
  DeletedRow,
  LoggedDecision,
  Resource,
  RowMetric,
  ShadowItem,
  SummaryRow,
} from "../documents.ts";

export function itemsOf(value: unknown): readonly unknown[] {
  return listOf(fieldsOf(value)["items"]);
}

const count = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
const optionalText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const nullable = <T>(value: T | undefined): T | null => value ?? null;

const verdicts: ReadonlySet<unknown> = new Set<Verdict>([
  "agrees",
  "moved",
  "lagging",
  "differs",
  "not-comparable",
]);

/** Undefined: not a row that is known here. */
export function rowFrom(value: unknown): SummaryRow | undefined {
  const row = fieldsOf(value);
  const resource = resourceOf(row["resource"]);
  const { heldBy, action, verdict } = row;
  if (resource === undefined || !isHeldBy(heldBy)) return undefined;
  const target = fieldsOf(row["target"]);
  const metrics = listOf(row["metrics"]).map(metricFrom);
  const note = optionalText(row["note"]);
  const otherWriter = otherWriterFrom(row["otherWriter"]);
  const [min, max] = [row["min"], row["max"]];
  return {
    resource,
    namespace: textOf(row["namespace"]),
    name: textOf(row["name"]),
    uid: textOf(row["uid"]),
    target: { kind: textOf(target["kind"]), name: textOf(target["name"]) },
    mode: textOf(row["mode"]) as SummaryRow["mode"],
    source: "recorded",
    at: textOf(row["at"]),
    since: nullable(optionalText(row["since"])),
    current: count(row["current"]),
    desired: count(row["desired"]),
    proposed: typeof row["proposed"] === "number" ? row["proposed"] : null,
    action: action === "scale" || action === "hold" ? action : "none",
    heldBy,
    decidedBy: typeof row["decidedBy"] === "number" ? row["decidedBy"] : null,
    notBefore: nullable(optionalText(row["notBefore"])),
    metrics,
    ...(typeof min === "number" ? { min } : {}),
    ...(typeof max === "number" ? { max } : {}),
    ...(verdicts.has(verdict) ? { verdict: verdict as Verdict } : {}),
    ...(otherWriter === undefined ? {} : { otherWriter }),
    ...(note === undefined ? {} : { note }),
  };
}

/** Each is counted in one of the states. */
function isHeldBy(value: unknown): value is HeldBy {
  if (typeof value !== "string") return false;
  return summaryStates.includes(summaryState({ action: "hold", heldBy: value as HeldBy }));
}

function resourceOf(value: unknown): Resource | undefined {
  return value === "horizontalpodautoscalers" || value === "workloadautoscalers" ? value : undefined;
}

function metricFrom(value: unknown): RowMetric {
  const { name, value: measured, target, isBytes, ratio, replicas, error } = fieldsOf(value);
  return {
    name: textOf(name),
    value: nullable(optionalText(measured)),
    target: nullable(optionalText(target)),
    ratio: typeof ratio === "number" ? ratio : null,
    ...(isBytes === true ? { isBytes } : {}),
    ...(typeof replicas === "number" ? { replicas } : {}),
    ...(typeof error === "string" ? { error } : {}),
  };
}

/** Undefined: none, or not as it is known here. */
function otherWriterFrom(value: unknown): OtherWriter | undefined {
  const other = fieldsOf(value);
  const { by, writes } = other;
  if (typeof by !== "string" || (writes !== "status" && writes !== "replicas")) return undefined;
  const times = {
    count: count(other["count"]),
    since: textOf(other["since"]),
    lastAt: textOf(other["lastAt"]),
    retryAt: textOf(other["retryAt"]),
  };
  return { by, writes, ...times };
}

/** Undefined: not a decision about an object that is known here. */
export function loggedFrom(value: unknown): LoggedDecision | undefined {
  const logged = fieldsOf(value);
  const object = deletedFrom(value);
  const decision = fieldsOf(logged["decision"]);
  if (object === undefined || !Array.isArray(decision["trace"])) return undefined;
  if (typeof decision["desiredReplicas"] !== "number") return undefined;
  const { builtIn, verdict, leftOut } = logged;
  const otherWriter = otherWriterFrom(logged["otherWriter"]);
  const yieldedTo = optionalText(logged["yieldedTo"]);
  const desiredReplicas = fieldsOf(builtIn)["desiredReplicas"];
  return {
    ...object,
    at: textOf(logged["at"]),
    mode: textOf(logged["mode"]),
    applied: textOf(logged["applied"]) as AppliedDecision["outcome"],
    // The endpoint sends what core made; a decision of another version may have other steps.
    decision: decision as object as Decision,
    ...(typeof leftOut === "number" ? { leftOut } : {}),
    ...(otherWriter === undefined ? {} : { otherWriter }),
    ...(yieldedTo === undefined ? {} : { yieldedTo }),
    ...(typeof desiredReplicas === "number" ? { builtIn: { desiredReplicas } } : {}),
    ...(verdicts.has(verdict) ? { verdict: verdict as Verdict } : {}),
  };
}

/** Undefined: not an object that is known here. */
export function deletedFrom(value: unknown): DeletedRow | undefined {
  const { resource: named, namespace, name, uid } = fieldsOf(value);
  const resource = resourceOf(named);
  if (resource === undefined || typeof namespace !== "string" || typeof name !== "string") return undefined;
  return { resource, namespace, name, uid: textOf(uid) };
}

export function shadowItemFrom(value: unknown): ShadowItem {
  const item = fieldsOf(value);
  const last = fieldsOf(item["lastDifference"]);
  return {
    namespace: textOf(item["namespace"]),
    name: textOf(item["name"]),
    agreed: count(item["agreed"]),
    differed: count(item["differed"]),
    unsettled: count(item["unsettled"]),
    agreement: count(item["agreement"]),
    since: textOf(item["since"]),
    isApart: item["isApart"] === true,
    ...(item["lastDifference"] === undefined
      ? {}
      : {
          lastDifference: {
            step: textOf(last["step"]),
            ours: textOf(last["ours"]),
            theirs: textOf(last["theirs"]),
            at: textOf(last["at"]),
          },
        }),
  };
}
