// `decide`: one evaluation of one HPA, step by step.

import type { DecideInput, DecideResult, Decision, HpaMemory, ScaleReading } from "../objects/decision.ts";
import { type Semantics, semanticsOf } from "../objects/semantics.ts";
import type { TraceStep } from "../objects/trace/step.ts";
import { textOf } from "../values/fields.ts";
import { int32From } from "../values/number/go-float.ts";
import { byMetrics } from "./by-metrics.ts";
import { closeEarly, type Draft, openDraft, setFalse, setTrue, warn } from "./draft.ts";
import { dropZeroCondition, mayLeaveZero } from "./from-zero.ts";
import { currentMemory, settleUnconfirmed, traceUnknownHistory } from "./history.ts";
import { readMemory } from "./memory.ts";
import { essentialProblems, isNumber, refuseInput } from "./refuse.ts";
import {
  announceSchedules,
  rememberZero,
  scheduleAtZero,
  scheduledToZero,
  traceSchedules,
} from "./scheduled.ts";
import { settle } from "./settle.ts";
import { readOptions, readSubject, type Subject } from "./subject.ts";

/**
 * One evaluation of one HPA: what the controller of the chosen release would do with exactly this input.
 * Pure: the same input and memory give the same result, and neither is changed. Store the returned memory, as
 * plain JSON, and pass it in next time. The decision supposes that the scale write succeeds; when it does not,
 * see `withFailedRescale`. An input without a clock, with bounds that are no whole numbers or with unknown options holds the
 * target, with outcome "spec"; `checkedDecideInput` refuses it, and everything else that is malformed, before.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#reconcileAutoscaler
 */
export function decide(input: DecideInput, memory?: HpaMemory): DecideResult {
  return decideUnder(input, memory, semanticsOf(readOptions(input.options).semantics, input.hpa));
}

/** `decide` by rules that need not be those of a release. */
export function decideUnder(
  input: DecideInput,
  memory: HpaMemory | undefined,
  semantics: Semantics,
): DecideResult {
  const known = readMemory(memory);
  const subject = readSubject(input, known, semantics);
  const draft = openDraft(subject, currentMemory(subject, known));
  const problems = essentialProblems(input);
  if (problems.length > 0) {
    return { decision: refuseInput(draft, problems, isNumber(input.nowMs)), memory: draft.memory };
  }
  announceSchedules(draft);
  const scale = readScale(input.scale);
  const decision = scale.ok ? evaluate(draft, scale) : withoutScale(draft, scale);
  return { decision, memory: draft.memory };
}

/** Anything that is no reading counts as a failed one: a missing number is not zero replicas. */
function readScale(scale: ScaleReading | undefined): ScaleReading {
  if (scale?.ok !== true) return { ok: false, message: textOf(scale?.message), kind: scale?.kind };
  if (!isNumber(scale.specReplicas) || !isNumber(scale.statusReplicas)) {
    return { ok: false, message: "specReplicas and statusReplicas of the scale must be numbers" };
  }
  return {
    ok: true,
    specReplicas: int32From(scale.specReplicas, 0),
    statusReplicas: int32From(scale.statusReplicas, 0),
    selector: textOf(scale.selector),
  };
}

function withoutScale(draft: Draft, scale: Extract<ScaleReading, { ok: false }>): Decision {
  const { message: error } = scale;
  warn(draft, "FailedGetScale", error);
  const message = `the HPA controller was unable to get the target's current scale: ${error}`;
  setFalse(draft, "AbleToScale", "FailedGetScale", message);
  draft.trace.push({ kind: "scale", error });
  const isSpec = scale.kind === "spec";
  const lead = isSpec
    ? "invalid API version in scale target reference"
    : `failed to query scale subresource for ${draft.subject.reference}`;
  return closeEarly(draft, {
    action: "none",
    error: isSpec ? "spec" : "internal",
    message: `${lead}: ${error}`,
  });
}

function evaluate(draft: Draft, scale: Extract<ScaleReading, { ok: true }>): Decision {
  const { subject } = draft;
  const { minReplicas, maxReplicas, nowMs } = subject;
  const message = "the HPA controller was able to get the target's current scale";
  setTrue(draft, "AbleToScale", "SucceededGetScale", message);
  const { specReplicas: current, statusReplicas, selector } = scale;
  draft.trace.push({ kind: "scale", specReplicas: current, statusReplicas, selector });
  settleUnconfirmed(draft, current);
  traceUnknownHistory(draft);
  traceSchedules(draft);
  if (draft.memory.recommendations.length === 0) {
    draft.memory = { ...draft.memory, recommendations: [{ replicas: current, atMs: nowMs }] };
    draft.trace.push({ kind: "seed", replicas: current });
  }
  const atZero = current === 0 ? scheduleAtZero(subject) : undefined;
  if (atZero === "held") return heldAtZero(draft);
  const isStarted = atZero === "started";
  if (current === 0 && !isStarted && !mayLeaveZero(subject)) return disabled(draft);
  if (isStarted || (current !== 0 && (current > maxReplicas || current < minReplicas))) {
    const isAbove = current > maxReplicas;
    const result = isAbove ? maxReplicas : minReplicas;
    const reason = `Current number of replicas ${boundText(subject, isAbove)}`;
    draft.trace.push({ kind: "bounds", currentReplicas: current, minReplicas, maxReplicas, result });
    return settle(draft, { current, desired: result, reason, metrics: null });
  }
  return byMetrics(draft, current, scale);
}

/** A bound that a schedule moved is not that of the specification. */
function boundText({ schedules }: Subject, isAbove: boolean): string {
  const bound = isAbove ? "maxReplicas" : "minReplicas";
  if (schedules !== undefined && schedules.own[bound] !== schedules.effective[bound]) {
    return isAbove ? "above the ceiling of schedules" : "below the floor of schedules";
  }
  return isAbove ? "above Spec.MaxReplicas" : "below Spec.MinReplicas";
}

/** Metrics are not read, and the object still manages the target: it scales it up again when a schedule requires it. */
function heldAtZero(draft: Draft): Decision {
  const message = "schedules keep the target at zero replicas";
  setTrue(draft, "ScalingActive", scheduledToZero, message);
  rememberZero(draft);
  return resting(draft, { kind: "disabled", isBySchedule: true });
}

function disabled(draft: Draft): Decision {
  const message = "scaling is disabled since the replica count of the target is zero";
  setFalse(draft, "ScalingActive", "ScalingDisabled", message);
  dropZeroCondition(draft);
  return resting(draft, { kind: "disabled" });
}

/** Metrics are not read meanwhile: a failure before and one after are not in a row. */
function resting(draft: Draft, step: TraceStep): Decision {
  const { failingSinceMs: _, ...memory } = draft.memory;
  draft.memory = memory;
  draft.trace.push(step);
  return settle(draft, { current: 0, desired: 0, reason: "", metrics: null });
}
