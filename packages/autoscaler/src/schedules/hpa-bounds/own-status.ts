// The status of a WorkloadAutoscaler that moves the bounds of an HPA.
import { withConditionCode } from "@plimsoll/component-base/catalog";
import { formatInstant, type SchedulesStatus, type StoredHpaCondition } from "@plimsoll/core";
import { scheduleConditions } from "@plimsoll/core/schedules";
import { isNotFound, type KubeClient, type KubeObject, replaceStatus } from "@plimsoll/kube";
import type { ScalingObject, StoredWla } from "../../objects/scaling-object.ts";
import type { Scheduled } from "../../objects/wla-extras.ts";
import { projectWla, wlaResource } from "../../objects/workload-autoscaler.ts";
import type { Reading } from "./bounds-request.ts";
import type { BoundsOutcome } from "./move-bounds.ts";

/** A condition of an object of our own. */
export interface OwnCondition {
  readonly type: "Ready" | "Active" | "Conflict" | ReturnType<typeof scheduleConditions>[number]["type"];
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
}

/** What the conditions of one object depend on. */
export interface About {
  readonly target: string;
  readonly reading: Reading;
  readonly outcome: BoundsOutcome;
  /** Another one, which moves the HPA's bounds instead. */
  readonly movedBy: string | undefined;
}

/** The conditions of a WorkloadAutoscaler that moves bounds. */
export function conditionsOf(about: About): readonly OwnCondition[] {
  const { target, reading, outcome, movedBy } = about;
  const conflict = conflictOf(about);
  const scheduled = movedBy === undefined ? scheduledOf(about) : undefined;
  const ready = (): Omit<OwnCondition, "type"> => {
    if (reading.problem !== undefined) return not("InvalidSpec", reading.problem);
    if (!outcome.isThere) return not("TargetNotFound", `HorizontalPodAutoscaler ${target} not found`);
    if (outcome.failure !== undefined) return not("FailedUpdate", outcome.failure);
    if (conflict.isTrue) return not("Conflict", conflict.message);
    if (reading.entryProblems.length > 0)
      return not("InvalidSchedule", "an entry of spec.schedules is invalid");
    return { isTrue: true, reason: "Scheduled", message: "the limits match the schedules" };
  };
  return [
    { type: "Ready", ...ready() },
    { type: "Active", ...activeOf(reading, target) },
    conflict,
    ...(scheduled === undefined
      ? []
      : scheduleConditions(scheduled).map(({ status, ...rest }) => ({ ...rest, isTrue: status === "True" }))),
  ];
}

function not(reason: string, message: string): Omit<OwnCondition, "type"> {
  return { isTrue: false, reason, message: withConditionCode(reason, message) };
}

function activeOf({ mode, problem }: Reading, target: string): Omit<OwnCondition, "type"> {
  if (problem !== undefined) return not("InvalidSpec", "not changing limits: the spec is invalid");
  if (mode === "Paused") return not("Paused", "paused; the limits are the user's own");
  if (mode === "Shadow") return not("ShadowMode", "the limits are the user's own");
  return { isTrue: true, reason: "Active", message: `managing the limits of ${target}` };
}

/** The state of the schedules, with the bounds that are in effect; undefined when they request none. */
export function scheduledOf({ reading, outcome }: Pick<About, "reading" | "outcome">): Scheduled | undefined {
  if (reading.request === undefined) return undefined;
  const { plan, dispute, failure } = outcome;
  const own = plan?.own ?? reading.outer;
  const isMoved = plan !== undefined && dispute === undefined && failure === undefined;
  const { state, entryProblems: problems } = reading;
  return { own, effective: isMoved ? plan.wanted : own, isWithoutMetrics: false, state, problems };
}

function conflictOf({ outcome: { dispute }, movedBy }: About): OwnCondition {
  const type = "Conflict";
  const yes = (reason: string, message: string): OwnCondition => ({ type, isTrue: true, reason, message });
  if (movedBy !== undefined) return yes("SharedTarget", `the limits follow the schedules of ${movedBy}`);
  if (dispute === undefined)
    return { type, isTrue: false, reason: "NoConflict", message: "no other client writes the limits" };
  const who = dispute.managers.length === 0 ? "an unknown manager" : dispute.managers.join(", ");
  const what = dispute.fields.map((field) => `spec.${field}`).join(" and ");
  const retry = `next attempt at ${formatInstant(dispute.untilMs)}`;
  return dispute.kind === "claimed"
    ? yes("FieldManagerConflict", `${who} applies ${what}: remove it from that manifest; ${retry}`)
    : yes("Undone", `${who} set ${what} back; ${retry}`);
}

/** Conditions as they are to be stored; undefined when they are stored already. */
export function storedConditions(
  stored: readonly StoredHpaCondition[],
  wanted: readonly OwnCondition[],
  nowMs: number,
): readonly StoredHpaCondition[] | undefined {
  let isChanged = stored.length !== wanted.length;
  const conditions = wanted.map(({ type, isTrue, reason, message }) => {
    const known = stored.find((condition) => condition.type === type);
    const status = isTrue ? "True" : "False";
    if (known?.status !== status || known.reason !== reason || known.message !== message) isChanged = true;
    const isSame = known?.status === status && known.lastTransitionTime !== undefined;
    return {
      type,
      status,
      lastTransitionTime: isSame ? known.lastTransitionTime : formatInstant(nowMs),
      reason,
      message,
    };
  });
  return isChanged ? conditions : undefined;
}

export interface OwnStatus {
  readonly conditions: readonly StoredHpaCondition[];
  readonly schedules: SchedulesStatus | undefined;
}

/** Replaces the status. Undefined when the object is gone. Throws ApiError (409 when it changed) or ConnectionError. */
export async function writeOwnStatus(
  client: KubeClient,
  object: ScalingObject,
  { conditions, schedules }: OwnStatus,
): Promise<StoredWla | undefined> {
  if (object.kind !== "WorkloadAutoscaler") return undefined;
  const { statusWriter: _, wla, status: __, ...rest } = object;
  const { generation } = object.metadata;
  const status = {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    conditions,
    ...(schedules === undefined ? {} : { schedules }),
  };
  try {
    const whole = { ...rest, spec: wla.storedSpec, status } as KubeObject;
    return projectWla(await replaceStatus<KubeObject>(client, wlaResource, whole), { known: object });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
