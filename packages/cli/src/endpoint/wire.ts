// What the endpoint sends, checked as far as it is used.
import type { Decision, HeldBy, Verdict } from "@plimsoll/core";
import type { ObjectIdentity, SummaryMetric, SummaryRow } from "../decisions/source.ts";

/** One decision of the log. */
export interface LoggedDecision {
  readonly at: string;
  readonly uid: string;
  readonly mode: string;
  readonly applied: string;
  readonly decision: Decision;
  readonly leftOut: number;
  readonly yieldedTo: string | undefined;
  readonly builtIn: { readonly desiredReplicas: number } | undefined;
  readonly verdict: Verdict | undefined;
}

/** How one HPA's decisions compare with those of its controller. */
export interface ShadowItem {
  readonly namespace: string;
  readonly name: string;
  readonly agreed: number;
  readonly differed: number;
  /** Not comparable: both looked at different moments. */
  readonly unsettled: number;
  readonly since: string;
  readonly isApart: boolean;
  readonly lastDifference?: {
    readonly step: string;
    readonly ours: string;
    readonly theirs: string;
    readonly at: string;
  };
}

type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

export function itemsOf(value: unknown): readonly unknown[] {
  const { items } = fieldsOf(value);
  return Array.isArray(items) ? items : [];
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const count = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);
const optionalText = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const nullable = <T>(value: T | undefined): T | null => value ?? null;

const heldBys: ReadonlySet<unknown> = new Set<HeldBy>([
  "tolerance",
  "direction",
  "stabilize",
  "rate",
  "cooldown",
  "min",
  "max",
  "schedule",
  "blocked",
  "failed",
  "disabled",
  "selector",
  "none",
]);
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
  if (resource === undefined || !heldBys.has(heldBy)) return undefined;
  const target = fieldsOf(row["target"]);
  const metrics = Array.isArray(row["metrics"]) ? row["metrics"].map(metricFrom) : [];
  const note = noteFrom(row["note"], metrics);
  const [min, max] = [row["min"], row["max"]];
  return {
    resource,
    namespace: text(row["namespace"]),
    name: text(row["name"]),
    uid: text(row["uid"]),
    target: { kind: text(target["kind"]), name: text(target["name"]) },
    mode: text(row["mode"]),
    source: "recorded",
    at: text(row["at"]),
    since: nullable(optionalText(row["since"])),
    current: count(row["current"]),
    desired: count(row["desired"]),
    proposed: typeof row["proposed"] === "number" ? row["proposed"] : null,
    action: action === "scale" || action === "hold" ? action : "none",
    heldBy: heldBy as HeldBy,
    decidedBy: typeof row["decidedBy"] === "number" ? row["decidedBy"] : null,
    notBefore: nullable(optionalText(row["notBefore"])),
    metrics,
    ...(typeof min === "number" ? { minReplicas: min } : {}),
    ...(typeof max === "number" ? { maxReplicas: max } : {}),
    ...(verdicts.has(verdict) ? { verdict: verdict as Verdict } : {}),
    ...(note === undefined ? {} : { note }),
  };
}

/** What the metrics say themselves is no note beside them. */
function noteFrom(value: unknown, metrics: readonly SummaryMetric[]): string | undefined {
  const note = optionalText(value);
  return metrics.some(({ name, error }) => note === `${error ?? ""} ${name}`) ? undefined : note;
}

export function resourceOf(value: unknown): ObjectIdentity["resource"] | undefined {
  return value === "horizontalpodautoscalers" || value === "workloadautoscalers" ? value : undefined;
}

function metricFrom(value: unknown): SummaryMetric {
  const metric = fieldsOf(value);
  const { ratio, replicas } = metric;
  const [measured, target, error] = [metric["value"], metric["target"], metric["error"]].map(optionalText);
  return {
    name: text(metric["name"]),
    ...(measured === undefined ? {} : { value: measured }),
    ...(target === undefined ? {} : { target }),
    ...(typeof ratio === "number" ? { ratio } : {}),
    ...(typeof replicas === "number" ? { replicas } : {}),
    ...(error === undefined ? {} : { error }),
  };
}

/** Undefined: not a decision. */
export function loggedFrom(value: unknown): LoggedDecision | undefined {
  const logged = fieldsOf(value);
  const decision = fieldsOf(logged["decision"]);
  if (!Array.isArray(decision["trace"]) || typeof decision["desiredReplicas"] !== "number") return undefined;
  const { builtIn, verdict } = logged;
  const desired = fieldsOf(builtIn)["desiredReplicas"];
  return {
    at: text(logged["at"]),
    uid: text(logged["uid"]),
    mode: text(logged["mode"]),
    applied: text(logged["applied"]),
    // The endpoint sends what core made; a decision of another version may have other steps.
    decision: decision as object as Decision,
    leftOut: count(logged["leftOut"]),
    yieldedTo: optionalText(logged["yieldedTo"]),
    builtIn: typeof desired === "number" ? { desiredReplicas: desired } : undefined,
    verdict: verdicts.has(verdict) ? (verdict as Verdict) : undefined,
  };
}

export function shadowItemFrom(value: unknown): ShadowItem {
  const item = fieldsOf(value);
  const last = fieldsOf(item["lastDifference"]);
  return {
    namespace: text(item["namespace"]),
    name: text(item["name"]),
    agreed: count(item["agreed"]),
    differed: count(item["differed"]),
    unsettled: count(item["unsettled"]),
    since: text(item["since"]),
    isApart: item["isApart"] === true,
    ...(item["lastDifference"] === undefined
      ? {}
      : {
          lastDifference: {
            step: text(last["step"]),
            ours: text(last["ours"]),
            theirs: text(last["theirs"]),
            at: text(last["at"]),
          },
        }),
  };
}
