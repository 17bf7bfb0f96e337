import { normalizeReplicas } from "../behavior/normalize.ts";
import { limitMessages, stabilizationMessages } from "../behavior/reasons.ts";
import { type Combined, combineMetrics } from "../combine/max.ts";
import { withGoodSamples } from "../failure/good-samples.ts";
import type { MetricContext } from "../metrics/context.ts";
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
  const combined = combine(draft, scale);
  draft.trace.push(...combined.trace);
  for (const failure of combined.failures) warn(draft, failure.reason, failure.message);
  const { error, isSpecError } = combined;
  if (combined.replicas === undefined) {
    const first = combined.blocking;
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
    reason: combined.isFallback ? "FallbackReplicas" : "ValidMetricFound",
    message: `the HPA was able to successfully calculate a replica count from ${combined.name}`,
  });
  const proposal = Math.max(0, combined.replicas);
  const metrics = combined.statuses;
  const reason = reasonOf(combined, proposal - current);
  return normalized(draft, { current, proposal, reason, metrics, error, isSpecError });
}

function reasonOf({ name, isFallback }: Combined, change: number): string {
  if (change === 0) return "";
  if (isFallback) return name;
  return change > 0 ? `${name} above target` : "All metrics below target";
}

/** The proposals of all metrics, or of what their failure policies put in their place. */
function combine(draft: Draft, scale: Extract<ScaleReading, { ok: true }>): Combined {
  const { subject, memory } = draft;
  const { options, semantics, pods, samples, nowMs, namespace, metrics, failurePolicies: policies } = subject;
  const context: MetricContext = {
    nowMs,
    namespace,
    specReplicas: scale.specReplicas,
    statusReplicas: scale.statusReplicas,
    pods,
    tolerances: tolerancesFor(subject.spec.behavior, options.tolerance, semantics),
    options,
    semantics,
  };
  if (policies === undefined) return combineMetrics(metrics, samples, context);
  const { maxReplicas } = subject;
  const lastGoodSamples = memory.lastGoodSamples ?? {};
  const combined = combineMetrics(metrics, samples, context, { policies, maxReplicas, lastGoodSamples });
  const { outcomes } = combined;
  const good = withGoodSamples(lastGoodSamples, { specs: metrics, policies, samples, outcomes, nowMs });
  if (Object.keys(good).length > 0) draft.memory = { ...memory, lastGoodSamples: good };
  return combined;
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
  const bySchedule = proposal > current ? "Schedules ask for more" : "No schedule asks for more";
  return normalized(draft, {
    current,
    proposal,
    reason: proposal === current ? "" : bySchedule,
    metrics: [],
    error: undefined,
    isSpecError: false,
  });
}

interface Proposed {
  readonly current: number;
  readonly proposal: number;
  /** Why replicas change; empty where the proposal is the current ones. */
  readonly reason: string;
  readonly metrics: readonly MetricStatus[];
  readonly error: string | undefined;
  readonly isSpecError: boolean;
}

function normalized(draft: Draft, proposed: Proposed): Decision {
  const { subject } = draft;
  const { current, proposal, metrics } = proposed;
  const { nowMs, minReplicas, maxReplicas, behavior } = subject;
  let { reason } = proposed;
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
