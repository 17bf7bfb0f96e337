// Remember, the fourth step of an evaluation: the only place that writes an object's state.
import type { Clock } from "@plimsoll/component-base";
import type { HpaStatus } from "@plimsoll/core";
import { packMemory } from "../../decisions/packed-memory.ts";
import type { ScalingObject } from "../../objects/scaling-object.ts";
import type { Applied } from "../act/applied.ts";
import type { StatusWritten } from "../act/write-status.ts";
import type { Plan } from "../evaluate/plan.ts";
import type { Evaluation } from "../evaluation.ts";
import { type ObjectState, type States, skipUntil } from "./state.ts";

/** Saves what is remembered of an evaluation; undefined when the object's term ended meanwhile. */
export function remember(
  plan: Plan,
  applied: Applied,
  { states, clock }: { readonly states: Pick<States, "update">; readonly clock: Clock },
): Evaluation | undefined {
  if (applied.outcome === "fenced") return undefined;
  const { state, startedMs } = plan.observation;
  const nowMs = clock.nowMs();
  let before = state;
  const after = states.update(state, (now) => {
    before = now;
    return afterEvaluation(now, { plan, applied }, nowMs);
  });
  if (after === undefined) return undefined;
  const skipMs = Math.max(0, after.skipUntilMs - nowMs);
  return { plan, applied, before, after, tookMs: nowMs - startedMs, skipMs };
}

/** The state after an evaluation; those of its status write come besides, when the queued write is done. */
export function afterEvaluation(
  before: ObjectState,
  { plan, applied }: { readonly plan: Plan; readonly applied: Applied },
  nowMs: number,
): ObjectState {
  const { observation, conflict, mode } = plan;
  const { scale } = observation;
  const isStatusOurs = mode === "active" || observation.stored.kind === "WorkloadAutoscaler";
  const state = isStatusOurs ? before : withoutWrites(before, conflict);
  return {
    ...state,
    // Without replicas nothing could be recovered yet.
    memory: state.memory !== undefined || scale.ok ? packMemory(applied.result.memory) : undefined,
    isManaged: mode === "active" && (state.isManaged || scale.ok),
    lastWritten: sharedCopy(state.lastWritten, observation.stored),
    lastScale: lastScaleOf(plan, applied, nowMs),
    contest: conflict.contest,
    suspect: conflict.suspect,
    yielded: conflict.yielded,
    held: plan.held,
    failure: failureOf(applied, state),
    skipUntilMs: skipUntil(nowMs, applied.retryAfterMs ?? observation.retryAfterMs ?? 0),
  };
}

/** Replicas that we may have written, or not, are not compared with what is found. */
function lastScaleOf(
  { conflict, mode, scaleTo }: Plan,
  { outcome, scaledAtMs, scaleFailure }: Applied,
  nowMs: number,
): ObjectState["lastScale"] {
  if (outcome === "scaled" && scaleTo !== undefined) return { replicas: scaleTo, atMs: scaledAtMs ?? nowMs };
  return mode === "active" && scaleFailure?.isUncertain !== true ? conflict.lastScale : undefined;
}

/**
 * Another controller may write the status from now on: what we wrote, or meant to write, counts no more. Unless another
 * wrote already, the status under our own name is ours, though it is newer than our first look at the object.
 */
function withoutWrites(state: ObjectState, { yielded }: Plan["conflict"]): ObjectState {
  const hasWritten = state.lastWritten !== undefined || state.isStatusUncertain;
  return {
    ...state,
    sinceMs: hasWritten && yielded === undefined ? Number.POSITIVE_INFINITY : state.sinceMs,
    lastWritten: undefined,
    pendingStatus: undefined,
    isStatusUncertain: false,
    statusFailure: undefined,
  };
}

/** Once the watch shows our own write, one copy of the object is enough. */
function sharedCopy(
  lastWritten: ObjectState["lastWritten"],
  stored: ScalingObject,
): ObjectState["lastWritten"] {
  const isSame =
    lastWritten?.metadata.uid === stored.metadata.uid &&
    lastWritten?.metadata.resourceVersion === stored.metadata.resourceVersion;
  return isSame ? stored : lastWritten;
}

function failureOf(applied: Applied, state: ObjectState): string | undefined {
  const { outcome } = applied.result.decision;
  const decided = outcome.error === "none" ? undefined : (outcome.message ?? outcome.error);
  return applied.failure ?? state.statusFailure ?? decided;
}

/** A status waits for its write. */
export function afterStatusDecided(state: ObjectState, pendingStatus: HpaStatus): ObjectState {
  return { ...state, pendingStatus };
}

/** Its write begins. */
export function afterStatusSent(state: ObjectState): ObjectState {
  return { ...state, isStatusUncertain: true };
}

/** Its write has ended; a status that is not stored stays pending. */
export function afterStatusWritten(
  state: ObjectState,
  { status, written, wasUncertain, failure }: StatusEnd,
  nowMs: number,
): ObjectState {
  const { pendingStatus } = state;
  if (written.result !== "failed") {
    return {
      ...state,
      pendingStatus: pendingStatus === status ? undefined : pendingStatus,
      isStatusUncertain: false,
      statusFailure: undefined,
      lastWritten: written.result === "gone" ? state.lastWritten : written.object,
      hasStored: state.hasStored || written.result === "written",
    };
  }
  const { retryAfterMs } = written;
  return {
    ...state,
    isStatusUncertain: wasUncertain || written.isUncertain,
    statusFailure: failure,
    skipUntilMs: retryAfterMs === undefined ? state.skipUntilMs : skipUntil(nowMs, retryAfterMs),
  };
}

export interface StatusEnd {
  readonly status: HpaStatus;
  readonly written: StatusWritten;
  /** What is reported of a write that failed. */
  readonly failure: string | undefined;
  /** It was not known either how the write before ended. */
  readonly wasUncertain: boolean;
}
