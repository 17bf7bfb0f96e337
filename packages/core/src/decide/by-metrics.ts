import { normalizeReplicas } from "../behavior/normalize.ts";
import { limitMessages, stabilizationMessages } from "../behavior/reasons.ts";
import { combineMetrics } from "../combine/max.ts";
import { tolerancesFor } from "../replicas/tolerance.ts";
import type { Decision, ScaleReading } from "../spec/decision.ts";
import type { MetricStatus } from "../spec/status.ts";
import { heldByCooldown } from "./cooldown.ts";
import { type Draft, setDraftCondition, warn } from "./draft.ts";
import { isScaledToZero } from "./from-zero.ts";
import { refuseSelector } from "./selector-gate.ts";
import { settle, withoutProposal } from "./settle.ts";

/**
 * @upstream pkg/controller/podautoscaler/horizontal.go#computeReplicasForMetrics
 */
export function byMetrics(
  draft: Draft,
  current: number,
  scale: Extract<ScaleReading, { ok: true }>,
): Decision {
  const { subject } = draft;
  if (subject.schedules?.isWithoutMetrics === true) return bySchedules(draft, current);
  const selectorError = refuseSelector(draft, scale.selector);
  if (selectorError !== undefined)
    return withoutProposal(draft, current, { metrics: null, error: selectorError });
  const { options, semantics, pods, samples, nowMs, namespace } = subject;
  const combined = combineMetrics(subject.metrics, samples, {
    nowMs,
    namespace,
    specReplicas: current,
    statusReplicas: scale.statusReplicas,
    pods,
    tolerances: tolerancesFor(subject.spec.behavior, options.tolerance, semantics),
    options,
    semantics,
  });
  draft.trace.push(...combined.trace);
  for (const failure of combined.failures) warn(draft, failure.reason, failure.message);
  const { error, isSpecError } = combined;
  if (combined.replicas === undefined) {
    const first = combined.failures[0];
    setDraftCondition(draft, {
      type: "ScalingActive",
      status: "False",
      reason: first?.reason ?? "",
      message: `the HPA was unable to compute the replica count: ${first?.message ?? ""}`,
    });
    return withoutProposal(draft, current, { metrics: combined.statuses, error: error ?? "", isSpecError });
  }
  setDraftCondition(draft, {
    type: "ScalingActive",
    status: "True",
    reason: "ValidMetricFound",
    message: `the HPA was able to successfully calculate a replica count from ${combined.name}`,
  });
  const proposal = Math.max(0, combined.replicas);
  const metrics = combined.statuses;
  return normalized(draft, { current, proposal, name: combined.name, metrics, error, isSpecError });
}

/** Without metrics the minimum is the count: that of the specification, or what schedules make of it. */
function bySchedules(draft: Draft, current: number): Decision {
  setDraftCondition(draft, {
    type: "ScalingActive",
    status: "True",
    reason: "SchedulesOnly",
    message: "there are no metrics; schedules alone decide",
  });
  const proposal = draft.subject.minReplicas;
  return normalized(draft, {
    current,
    proposal,
    name: undefined,
    metrics: [],
    error: undefined,
    isSpecError: false,
  });
}

interface Proposed {
  readonly current: number;
  readonly proposal: number;
  /** What the proposal comes from; undefined: no metric. */
  readonly name: string | undefined;
  readonly metrics: readonly MetricStatus[];
  readonly error: string | undefined;
  readonly isSpecError: boolean;
}

function normalized(draft: Draft, proposed: Proposed): Decision {
  const { subject } = draft;
  const { current, proposal, metrics } = proposed;
  const { nowMs, minReplicas, maxReplicas, behavior } = subject;
  const lower = proposed.name === undefined ? "No schedule asks for more" : "All metrics below target";
  const down = proposal < current ? lower : "";
  let reason = proposal > current ? `${proposed.name} above target` : down;
  const { downscaleStabilizationMs } = subject.options;
  const result = normalizeReplicas({
    nowMs,
    minReplicas,
    maxReplicas,
    behavior,
    currentReplicas: current,
    desiredReplicas: proposal,
    memory: draft.memory,
    downscaleStabilizationMs,
  });
  draft.trace.push(...result.trace);
  draft.memory = { ...draft.memory, recommendations: result.recommendations };
  setDraftCondition(draft, {
    type: "AbleToScale",
    status: "True",
    reason: result.stabilization,
    message: stabilizationMessages[result.stabilization],
  });
  setDraftCondition(draft, {
    type: "ScalingLimited",
    status: result.replicas === result.stabilized ? "False" : "True",
    reason: result.limit,
    message: limitMessages[result.limit],
  });
  let desired = result.replicas;
  if (current === 0 && minReplicas !== 0 && isScaledToZero(subject) && desired < minReplicas) {
    desired = minReplicas;
    if (reason === "") reason = "Current number of replicas below Spec.MinReplicas";
  }
  desired = heldByCooldown(draft, current, desired);
  return settle(draft, {
    current,
    desired,
    isRescale: desired !== current,
    reason,
    metrics,
    error: proposed.error,
    isSpecError: proposed.isSpecError,
  });
}
