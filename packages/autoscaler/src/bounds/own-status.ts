import type { StoredHpaCondition } from "@plimsoll/core";
import { formatInstant } from "@plimsoll/core";
import { isNotFound, type KubeClient, type KubeObject, replaceStatus } from "@plimsoll/kube";
import type { NativeHpa } from "../hpa/native-hpa.ts";
import type { Scheduled } from "../schedules/book.ts";
import { type ScheduleClaim, type SchedulesStatus, scheduleClaims } from "../schedules/own-status.ts";
import { projectWla, wlaResource } from "../wla/workload-autoscaler.ts";
import type { Reading } from "./demand.ts";
import type { Settled } from "./settle.ts";

interface Claim {
  readonly type: "Ready" | "Active" | "Conflict" | ScheduleClaim["type"];
  readonly isTrue: boolean;
  readonly reason: string;
  readonly message: string;
}

/** What one such object is about. */
export interface About {
  readonly target: string;
  readonly reading: Reading;
  readonly settled: Settled;
  /** Another one that moves the same HPA's bounds. */
  readonly rival: string | undefined;
}

/** What a WorkloadAutoscaler that moves bounds has to say of itself. */
export function claimsOf(o: About): readonly Claim[] {
  const { target, reading, settled, rival } = o;
  const conflict = conflictOf(o);
  const scheduled = rival === undefined ? scheduledOf(o) : undefined;
  const ready = (): Omit<Claim, "type"> => {
    if (reading.problem !== undefined) return not("InvalidSpec", reading.problem);
    if (!settled.isThere) return not("TargetNotFound", `there is no HorizontalPodAutoscaler ${target}`);
    if (settled.failure !== undefined) return not("FailedUpdate", settled.failure);
    if (conflict.isTrue) return not("Conflict", conflict.message);
    if (reading.entryProblems.length > 0)
      return not("InvalidSchedule", "an entry of spec.schedules cannot be used");
    return { isTrue: true, reason: "Scheduled", message: "the bounds are as the schedules want them" };
  };
  return [
    { type: "Ready", ...ready() },
    { type: "Active", ...activeOf(reading, target) },
    conflict,
    ...(scheduled === undefined ? [] : scheduleClaims(scheduled)),
  ];
}

function not(reason: string, message: string): Omit<Claim, "type"> {
  return { isTrue: false, reason, message };
}

function activeOf({ mode, problem }: Reading, target: string): Omit<Claim, "type"> {
  if (problem !== undefined) return not("InvalidSpec", "nothing is moved on an invalid specification");
  if (mode === "Paused") return not("Paused", "the object is paused; the bounds are the user's own");
  if (mode === "Shadow") return not("ShadowMode", "the bounds are the user's own");
  return { isTrue: true, reason: "Active", message: `it moves the bounds of ${target}` };
}

/** What the schedules say, with what it makes of the bounds; where it could not be carried out, nothing. */
export function scheduledOf({ reading, settled }: Pick<About, "reading" | "settled">): Scheduled | undefined {
  if (reading.demand === undefined) return undefined;
  const { plan, dispute, failure } = settled;
  const own = plan?.own ?? reading.outer;
  const isMoved = plan !== undefined && dispute === undefined && failure === undefined;
  const { state, entryProblems: problems } = reading;
  return { own, effective: isMoved ? plan.wanted : own, isWithoutMetrics: false, state, problems };
}

function conflictOf({ settled: { dispute }, rival }: About): Claim {
  const yes = (reason: string, message: string): Claim => ({
    type: "Conflict",
    isTrue: true,
    reason,
    message,
  });
  if (rival !== undefined) return yes("SharedTarget", `the bounds follow the schedules of ${rival}`);
  if (dispute === undefined)
    return {
      type: "Conflict",
      isTrue: false,
      reason: "NoConflict",
      message: "nobody else claims the bounds",
    };
  const who = dispute.managers.length === 0 ? "an unknown manager" : dispute.managers.join(", ");
  const what = dispute.fields.map((field) => `spec.${field}`).join(" and ");
  const again = `it is tried again at ${formatInstant(dispute.untilMs)}`;
  return dispute.kind === "claimed"
    ? yes("FieldManagerConflict", `${who} applies ${what}: take it out of what that applies; ${again}`)
    : yes("Undone", `${who} set ${what} back; ${again}`);
}

/** Conditions as they are to be stored; undefined when they are so already. */
export function conditionsWith(
  stored: readonly StoredHpaCondition[],
  claims: readonly Claim[],
  nowMs: number,
): readonly StoredHpaCondition[] | undefined {
  let isChanged = stored.length !== claims.length;
  const conditions = claims.map(({ type, isTrue, reason, message }) => {
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
  object: NativeHpa,
  { conditions, schedules }: OwnStatus,
): Promise<NativeHpa | undefined> {
  const { statusWriter: _, wla, status: __, ...rest } = object;
  const { generation } = object.metadata;
  const status = {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    conditions,
    ...(schedules === undefined ? {} : { schedules }),
  };
  try {
    const whole = { ...rest, spec: wla?.storedSpec, status } as KubeObject;
    return projectWla(await replaceStatus<KubeObject>(client, wlaResource, whole));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
