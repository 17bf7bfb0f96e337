import { isDeepStrictEqual } from "node:util";
import type { Decision, HpaCondition, HpaStatus } from "@plimsoll/core";
import type { NativeHpa } from "../hpa/native-hpa.ts";
import type { Scheduled } from "../schedules/book.ts";
import { type SchedulesStatus, scheduleClaims, schedulesStatus } from "../schedules/own-status.ts";
import type { FailurePolicyStep } from "./failure-policy.ts";
import type { WlaMode } from "./workload-autoscaler.ts";

const ownTypes = ["Ready", "Active", "Paused", "Fallback", "ScheduleActive", "SchedulesValid"] as const;
type OwnType = (typeof ownTypes)[number];

interface Claim {
  readonly type: OwnType;
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
}

/** What the conditions tell of beyond those of an HPA. */
export interface WlaState {
  readonly mode: WlaMode;
  readonly pauseReason: string | undefined;
  readonly pausedUntilMs: number | undefined;
  readonly problem: string | undefined;
  /** Another writer that was found. */
  readonly yieldedTo: string | undefined;
  readonly rivals: readonly string[];
  readonly steps: readonly FailurePolicyStep[];
  readonly scheduled: Scheduled | undefined;
}

/** The stored status as the math knows it: without the conditions that are ours. */
export function withoutOwn(status: NativeHpa["status"]): NativeHpa["status"] {
  if (status?.conditions === undefined || status.conditions === null) return status;
  const isOwn = (type: string) => ownTypes.some((own) => own === type);
  return { ...status, conditions: status.conditions.filter(({ type }) => !isOwn(type)) };
}

/** The decision's status with Ready, Active, Paused and Fallback; written only when something in it changed. */
export function withOwn(
  decision: Decision,
  stored: NativeHpa["status"],
  o: { readonly state: WlaState; readonly nowMs: number },
): Decision {
  const before = stored?.conditions ?? [];
  let isChanged = decision.statusChanged;
  const own = claims(decision, o.state).map((claim): HpaCondition => {
    const known = before.find(({ type }) => type === claim.type);
    const status = claim.isTrue ? "True" : "False";
    const isSame = known?.status === status;
    if (!isSame || known.reason !== claim.reason || known.message !== claim.message) isChanged = true;
    const since =
      isSame && typeof known.lastTransitionTime === "string" ? known.lastTransitionTime : undefined;
    return {
      type: claim.type,
      status,
      lastTransitionTime: since ?? new Date(o.nowMs).toISOString().replace(/\.\d+Z$/, "Z"),
      reason: claim.reason,
      message: claim.message,
    };
  });
  const { scheduled } = o.state;
  const schedules = scheduled && schedulesStatus(scheduled);
  const known = (stored as { readonly schedules?: SchedulesStatus } | undefined)?.schedules;
  if (!isDeepStrictEqual(known, schedules)) isChanged = true;
  const status: HpaStatus & { readonly schedules?: SchedulesStatus } = {
    ...decision.status,
    conditions: [...own, ...decision.status.conditions],
    ...(schedules === undefined ? {} : { schedules }),
  };
  return { ...decision, status, statusChanged: isChanged };
}

function claims(decision: Decision, state: WlaState): readonly Claim[] {
  const applied = state.steps.filter(({ isApplied }) => isApplied);
  return [
    ready(decision, state),
    active(state),
    state.mode === "Paused"
      ? { type: "Paused", isTrue: true, reason: "Paused", message: pauseText(state) }
      : { type: "Paused", isTrue: false, reason: "NotPaused", message: "the object is not paused" },
    applied.length > 0
      ? {
          type: "Fallback",
          isTrue: true,
          reason: "MetricFailurePolicy",
          message: applied
            .map(({ index, policy, effect }) => `metric ${index}: ${policy}, ${effect}`)
            .join("; "),
        }
      : {
          type: "Fallback",
          isTrue: false,
          reason: "NoMetricFailurePolicy",
          message: "no policy stands in for a metric",
        },
    ...(state.scheduled === undefined ? [] : scheduleClaims(state.scheduled)),
  ];
}

function ready(decision: Decision, { problem }: WlaState): Claim {
  if (problem !== undefined) return { type: "Ready", isTrue: false, reason: "InvalidSpec", message: problem };
  const failed = decision.status.conditions.find(
    ({ type, status }) => (type === "AbleToScale" || type === "ScalingActive") && status === "False",
  );
  return failed === undefined
    ? { type: "Ready", isTrue: true, reason: "Evaluated", message: "the last evaluation came to a count" }
    : { type: "Ready", isTrue: false, reason: failed.reason, message: failed.message };
}

function active(state: WlaState): Claim {
  const not = (reason: string, message: string): Claim => ({
    type: "Active",
    isTrue: false,
    reason,
    message,
  });
  if (state.problem !== undefined) return not("InvalidSpec", "nothing is scaled on an invalid specification");
  if (state.mode === "Paused") return not("Paused", pauseText(state));
  if (state.mode === "Shadow") return not("ShadowMode", "it decides, and scales nothing");
  if (state.yieldedTo !== undefined)
    return not("ForeignWriter", `${state.yieldedTo} writes what this object drives`);
  if (state.rivals.length > 0)
    return not("SharedTarget", `the target is claimed by ${state.rivals.join(" ")}`);
  return { type: "Active", isTrue: true, reason: "Driving", message: "it scales its target" };
}

function pauseText({ pauseReason, pausedUntilMs }: WlaState): string {
  const until = pausedUntilMs === undefined ? "" : ` until ${new Date(pausedUntilMs).toISOString()}`;
  return `paused${until}${pauseReason === undefined || pauseReason === "" ? "" : `: ${pauseReason}`}`;
}
