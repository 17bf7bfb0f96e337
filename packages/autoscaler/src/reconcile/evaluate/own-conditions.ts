// The conditions that WorkloadAutoscalers have beyond those of HPAs.
import { withConditionCode } from "@plimsoll/component-base/catalog";
import {
  type Decision,
  type DecisionEvent,
  type FailurePolicyTrace,
  failurePolicyEffect,
  formatInstant,
  type HpaCondition,
  type HpaStatus,
  type StoredHpaCondition,
  summarize,
} from "@plimsoll/core";
import type { ScalingObject } from "../../objects/scaling-object.ts";
import type { WlaMode } from "../../objects/wla-extras.ts";
import { heldText, isHeld } from "./held.ts";
import { isQueryStatus, type QueryStatus, sameQueries } from "./query-status.ts";

const ownTypes = ["Ready", "Active", "Paused", "Fallback", "Held"] as const;
type OwnType = (typeof ownTypes)[number];

/** A condition of ours without its time. */
interface OwnCondition {
  readonly type: OwnType;
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
  /** The sentence stays as it is while status and reason do: a new time alone is no reason to write. */
  readonly keepsMessage?: true;
}

/** What the conditions report beyond those of an HPA. */
export interface WlaState {
  readonly mode: WlaMode;
  readonly pauseReason: string | undefined;
  readonly pausedUntilMs: number | undefined;
  readonly problem: string | undefined;
  /** Another controller that was found, in a sentence. */
  readonly yielded: string | undefined;
  /** Objects that name the same target. */
  readonly conflictingObjects: readonly string[];
  /** For status.targets. */
  readonly targets: string;
  readonly queries: readonly QueryStatus[];
}

/** The stored status as the math knows it: without the conditions that are ours. */
export function withoutOwn(status: ScalingObject["status"]): ScalingObject["status"] {
  if (status?.conditions === undefined || status.conditions === null) return status;
  const isOwn = (type: string) => ownTypes.some((own) => own === type);
  return { ...status, conditions: status.conditions.filter(({ type }) => !isOwn(type)) };
}

/** What the status has beyond an HPA's. */
type StoredStatus = { readonly targets?: string; readonly queries?: readonly QueryStatus[] } | undefined;

/** status.queries as it is stored, but for entries that another client left incomplete. */
export function storedQueries(status: ScalingObject["status"]): readonly QueryStatus[] {
  const queries: unknown = (status as StoredStatus)?.queries;
  return Array.isArray(queries) ? (queries as readonly unknown[]).filter(isQueryStatus) : [];
}

/** The decision's status with Ready, Active, Paused and Fallback; written only when something in it changed. */
export function withConditions(
  decision: Decision,
  stored: ScalingObject["status"],
  { state, nowMs }: { readonly state: WlaState; readonly nowMs: number },
): Decision {
  let isChanged = decision.statusChanged;
  const own = conditionsOf(decision, state).map((condition): HpaCondition => {
    const known = stored?.conditions?.find(({ type }) => type === condition.type);
    const status = condition.isTrue ? "True" : "False";
    const isSame = known?.status === status;
    const isKept = condition.keepsMessage === true && isSame && known.reason === condition.reason;
    const message =
      (isKept ? known.message : undefined) ?? withConditionCode(condition.reason, condition.message);
    if (!isSame || known.reason !== condition.reason || known.message !== message) isChanged = true;
    const since =
      isSame && typeof known.lastTransitionTime === "string" ? known.lastTransitionTime : undefined;
    return {
      type: condition.type,
      status,
      lastTransitionTime: since ?? formatInstant(nowMs),
      reason: condition.reason,
      message,
    };
  });
  const known = stored as StoredStatus;
  // A CRD of an older release drops the field each time; then it is no reason to write.
  if (known?.targets !== undefined && known.targets !== state.targets) isChanged = true;
  if (!sameQueries(storedQueries(stored), state.queries)) isChanged = true;
  const status: HpaStatus & NonNullable<StoredStatus> = {
    ...decision.status,
    targets: state.targets,
    ...(state.queries.length === 0 ? {} : { queries: state.queries }),
    conditions: [...own, ...decision.status.conditions],
  };
  return { ...decision, status, statusChanged: isChanged };
}

/** One event for a refused specification, and one more when its problems change. */
export function refusalEvents(decision: Decision, stored: ScalingObject["status"]): readonly DecisionEvent[] {
  const refusal = (conditions: readonly StoredHpaCondition[] | null | undefined) =>
    conditions?.find(({ type, reason }) => type === "Ready" && reason === "InvalidSpec")?.message;
  const message = refusal(decision.status.conditions);
  if (message === undefined || message === refusal(stored?.conditions)) return [];
  return [{ type: "Warning", reason: "InvalidSpec", message }];
}

/** One event for a target at zero that is left there. */
export function zeroEvents(decision: Decision, stored: ScalingObject["status"]): readonly DecisionEvent[] {
  const isStopped = (conditions: readonly StoredHpaCondition[] | null | undefined) =>
    conditions?.some(({ type, reason }) => type === "ScalingActive" && reason === "ScalingDisabled") === true;
  if (!isStopped(decision.status.conditions) || isStopped(stored?.conditions)) return [];
  const message =
    "the target has 0 replicas, but this object did not scale it to zero: run kubectl scale --replicas=1, or set adopt: FromZero with minReplicas 0";
  return [{ type: "Normal", reason: "StoppedAtZero", message }];
}

function conditionsOf(decision: Decision, state: WlaState): readonly OwnCondition[] {
  const applied = decision.trace.filter(
    (step): step is FailurePolicyTrace => step.kind === "failure-policy" && step.isApplied,
  );
  const policies = applied.map(
    (step) => `metric ${step.index}: ${step.policy}, ${failurePolicyEffect(step)}`,
  );
  return [
    ready(decision, state),
    active(state),
    state.mode === "Paused"
      ? yes("Paused", "Paused", pauseText(state))
      : no("Paused", "NotPaused", "not paused"),
    policies.length > 0
      ? yes("Fallback", "MetricFailurePolicy", policies.join("; "))
      : no("Fallback", "NoMetricFailurePolicy", "no fallback policy in use"),
    heldCondition(decision),
  ];
}

function yes(type: OwnType, reason: string, message: string): OwnCondition {
  return { type, isTrue: true, reason, message };
}

function no(type: OwnType, reason: string, message: string): OwnCondition {
  return { type, isTrue: false, reason, message };
}

function heldCondition(decision: Decision): OwnCondition {
  const summary = summarize(decision);
  const { heldBy } = summary;
  if (!isHeld(heldBy)) return no("Held", "NotHeld", "replicas are not held");
  const reason = `${heldBy.slice(0, 1).toUpperCase()}${heldBy.slice(1)}`;
  return { ...yes("Held", reason, heldText(decision, summary)), keepsMessage: true };
}

function ready(decision: Decision, { problem }: WlaState): OwnCondition {
  if (problem !== undefined) return no("Ready", "InvalidSpec", problem);
  // A delay after a scale is as set, and passes.
  const failed = decision.status.conditions.find(
    ({ type, status, reason }) =>
      (type === "AbleToScale" || type === "ScalingActive") &&
      status === "False" &&
      !reason.startsWith("Backoff"),
  );
  return failed === undefined
    ? yes("Ready", "Evaluated", "the last evaluation succeeded")
    : no("Ready", failed.reason, failed.message);
}

function active(state: WlaState): OwnCondition {
  const not = (reason: string, message: string): OwnCondition => no("Active", reason, message);
  if (state.problem !== undefined) return not("InvalidSpec", "not scaling: the spec is invalid");
  if (state.mode === "Paused") return not("Paused", pauseText(state));
  if (state.mode === "Shadow") return not("ShadowMode", "deciding without scaling");
  if (state.yielded !== undefined) return not("ForeignWriter", state.yielded);
  if (state.conflictingObjects.length > 0)
    return not("SharedTarget", `${state.conflictingObjects.join(" ")} scale the same target`);
  return yes("Active", "Managing", "managing the target's replicas");
}

function pauseText({ pauseReason, pausedUntilMs }: WlaState): string {
  const until = pausedUntilMs === undefined ? "" : ` until ${new Date(pausedUntilMs).toISOString()}`;
  return `paused${until}${pauseReason === undefined || pauseReason === "" ? "" : `: ${pauseReason}`}`;
}
