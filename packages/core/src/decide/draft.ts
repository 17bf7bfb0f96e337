// The mutable draft of a decision.

import type {
  Decision,
  DecisionEvent,
  DecisionOutcome,
  HpaMemory,
  RescaleUndo,
  ScheduledBounds,
} from "../objects/decision.ts";
import { sameStatus } from "../objects/status/equal.ts";
import type { HpaCondition, HpaStatus, MetricStatus } from "../objects/status.ts";
import type { TraceStep } from "../objects/trace/step.ts";
import { cutMessage } from "../values/redact/cut.ts";
import { formatInstant } from "../values/time/rfc3339.ts";
import { type ConditionChange, setCondition } from "./combine/conditions.ts";
import { schedulesStatus } from "./schedules/status-and-events.ts";
import type { Subject } from "./subject.ts";

/** A decision in the making. Only `decide` and the steps it calls write to it. */
export interface Draft {
  readonly subject: Subject;
  memory: HpaMemory;
  conditions: readonly HpaCondition[];
  readonly events: DecisionEvent[];
  readonly trace: TraceStep[];
}

export function openDraft(subject: Subject, memory: HpaMemory): Draft {
  return { subject, memory, conditions: subject.stored.conditions, events: [], trace: [] };
}

export function setDraftCondition(draft: Draft, change: ConditionChange): void {
  draft.conditions = setCondition(draft.conditions, change, draft.subject.nowMs);
}

export function setTrue(draft: Draft, type: ConditionChange["type"], reason: string, message: string): void {
  setDraftCondition(draft, { type, status: "True", reason, message });
}

export function setFalse(draft: Draft, type: ConditionChange["type"], reason: string, message: string): void {
  setDraftCondition(draft, { type, status: "False", reason, message });
}

export function warn(draft: Draft, reason: string, message: string): void {
  draft.events.push({ type: "Warning", reason, message });
}

/** How an evaluation ends. */
export interface Ending {
  readonly currentReplicas: number;
  readonly desiredReplicas: number;
  readonly currentMetrics: readonly MetricStatus[] | null;
  readonly scaleTo?: number;
  readonly reason?: string;
  readonly outcome: DecisionOutcome;
  readonly beforeRescale?: RescaleUndo;
}

/** @upstream pkg/controller/podautoscaler/horizontal.go#setStatus */
export function closeDraft(draft: Draft, ending: Ending): Decision {
  const { stored, semantics, generation, nowMs, announcesScale } = draft.subject;
  const isRescale = ending.scaleTo !== undefined && announcesScale;
  const lastScaleTime = isRescale ? formatInstant(nowMs) : stored.lastScaleTime;
  const status: HpaStatus = {
    ...(semantics.writesObservedGeneration ? { observedGeneration: generation } : {}),
    ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
    currentReplicas: ending.currentReplicas,
    desiredReplicas: ending.desiredReplicas,
    currentMetrics: ending.currentMetrics,
    conditions: draft.conditions,
  };
  return finish(draft, status, ending);
}

/** The status of an evaluation that never came to counting: only conditions may differ. */
export function closeEarly(draft: Draft, outcome: DecisionOutcome): Decision {
  const { stored } = draft.subject;
  const { currentReplicas, desiredReplicas, currentMetrics } = stored;
  const status = { ...stored, conditions: draft.conditions };
  return finish(draft, status, { currentReplicas, desiredReplicas, currentMetrics, outcome });
}

function finish(draft: Draft, unscheduled: HpaStatus, ending: Ending): Decision {
  const status = withSchedules(unscheduled, draft.subject.schedules);
  const { currentReplicas, desiredReplicas, scaleTo, beforeRescale } = ending;
  const reason = cutMessage(ending.reason ?? "");
  const outcome = withShortMessage(ending.outcome);
  const action = scaleTo === undefined ? "hold" : "scale";
  draft.trace.push({
    kind: "result",
    action: outcome.error !== "none" && scaleTo === undefined ? "error" : action,
    currentReplicas,
    desiredReplicas,
    reason,
    ...(outcome.message === undefined ? {} : { error: outcome.message }),
  });
  return {
    currentReplicas,
    desiredReplicas,
    scaleTo,
    reason,
    status,
    statusChanged: !sameStatus(draft.subject.stored, status),
    events: draft.events.map((event) => ({ ...event, message: cutMessage(event.message) })),
    outcome,
    trace: draft.trace,
    ...(beforeRescale === undefined ? {} : { beforeRescale }),
  };
}

function withShortMessage(outcome: DecisionOutcome): DecisionOutcome {
  return outcome.message === undefined ? outcome : { ...outcome, message: cutMessage(outcome.message) };
}

/** What a status says of schedules is of the object as it is now. */
function withSchedules(status: HpaStatus, schedules: ScheduledBounds | undefined): HpaStatus {
  if (schedules !== undefined) return { ...status, schedules: schedulesStatus(schedules) };
  if (status.schedules === undefined) return status;
  const { schedules: _, ...rest } = status;
  return rest;
}
