// Completes a decision: replicas, status and memory.

import type { Decision, DecisionOutcome, RescaleUndo } from "../objects/decision.ts";
import type { MetricStatus } from "../objects/status.ts";
import type { ModeTrace } from "../objects/trace/step.ts";
import { recordScale } from "./behavior/record.ts";
import { closeDraft, type Draft, setTrue, warn } from "./draft.ts";
import { setZeroCondition } from "./from-zero.ts";
import { setScheduledZero } from "./scheduled.ts";

export interface Settlement {
  readonly current: number;
  readonly desired: number;
  /** Why replicas change; empty where they do not. */
  readonly reason: string;
  readonly metrics: readonly MetricStatus[] | null;
  /** Some metric failed although the evaluation went through. */
  readonly error?: string | undefined;
  readonly isSpecError?: boolean;
}

/** The end of an evaluation that came to a count. */
export function settle(draft: Draft, settlement: Settlement): Decision {
  const { current, desired, reason, metrics } = settlement;
  const error = errorOf(settlement.error, settlement.isSpecError === true);
  if (desired === current) {
    return closeDraft(draft, {
      currentReplicas: current,
      desiredReplicas: current,
      currentMetrics: metrics,
      outcome: { action: "none", ...error },
    });
  }
  const beforeRescale = undoOf(draft);
  const { mode, announcesScale, nowMs, behavior } = draft.subject;
  if (announcesScale) announceRescale(draft, settlement);
  else setTrue(draft, "AbleToScale", "WouldScale", `would update the target scale to ${desired}`);
  if (mode !== "Active") awaitRescale(draft, mode, desired);
  draft.memory = recordScale(draft.memory, behavior, { nowMs, from: current, to: desired });
  return closeDraft(draft, {
    currentReplicas: current,
    desiredReplicas: desired,
    currentMetrics: metrics,
    scaleTo: desired,
    reason,
    outcome: { action: desired > current ? "scale_up" : "scale_down", ...error },
    beforeRescale,
  });
}

function announceRescale(draft: Draft, { current, desired, reason }: Settlement): void {
  const succeeded = `the HPA controller was able to update the target scale to ${desired}`;
  setTrue(draft, "AbleToScale", "SucceededRescale", succeeded);
  const message = `New size: ${desired}; reason: ${reason}`;
  draft.events.push({ type: "Normal", reason: "SuccessfulRescale", message });
  if (!setScheduledZero(draft, desired)) setZeroCondition(draft, current, desired);
}

/** Another controller may make the scale, which the next evaluation sees. */
function awaitRescale(draft: Draft, mode: ModeTrace["mode"], scaleTo: number): void {
  const { scaleUpEvents, scaleDownEvents } = draft.memory;
  draft.trace.push({ kind: "mode", mode, scaleTo });
  draft.memory = { ...draft.memory, unconfirmedScale: { replicas: scaleTo, scaleUpEvents, scaleDownEvents } };
}

function undoOf(draft: Draft): RescaleUndo {
  const { subject, memory } = draft;
  return {
    nowMs: subject.nowMs,
    reference: subject.reference,
    stored: subject.stored,
    scaleUpEvents: memory.scaleUpEvents,
    scaleDownEvents: memory.scaleDownEvents,
  };
}

function errorOf(message: string | undefined, isSpecError: boolean): Omit<DecisionOutcome, "action"> {
  if (message === undefined) return { error: "none" };
  return { error: isSpecError ? "spec" : "internal", message };
}

/** The end of an evaluation in which the metrics allow no count at all. */
export function withoutProposal(
  draft: Draft,
  current: number,
  failure: { metrics: readonly MetricStatus[] | null; error: string; isSpecError?: boolean },
): Decision {
  const { subject } = draft;
  warn(draft, "FailedComputeMetricsReplicas", failure.error);
  const lead = `failed to compute desired number of replicas based on listed metrics for ${subject.reference}`;
  return closeDraft(draft, {
    currentReplicas: current,
    desiredReplicas: subject.stored.desiredReplicas,
    currentMetrics: failure.metrics,
    outcome: { action: "none", ...errorOf(`${lead}: ${failure.error}`, failure.isSpecError === true) },
  });
}
