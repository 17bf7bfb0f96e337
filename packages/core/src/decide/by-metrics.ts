// Decides by metrics: proposals, combination, stabilization and limits.

import type { Decision, ScaleReading } from "../objects/decision.ts";
import { limitReplicas } from "./behavior/limit.ts";
import { limitMessages, stabilizationMessages } from "./behavior/reasons.ts";
import { stabilizeReplicas } from "./behavior/stabilize.ts";
import { type Combined, combineMetrics } from "./combine/max.ts";
import { heldByCooldown } from "./cooldown.ts";
import { type Draft, setFalse, setTrue, warn } from "./draft.ts";
import { failingSince } from "./failure/failing-since.ts";
import { withGoodSamples } from "./failure/good-samples.ts";
import { isScaledToZero } from "./from-zero.ts";
import type { MetricContext } from "./metrics/context.ts";
import { tolerancesFor } from "./replicas/tolerance.ts";
import { selectPods } from "./selector-gate.ts";
import { type Settlement, settle, withoutProposal } from "./settle.ts";

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
  const pods = selectPods(draft, scale.selector);
  if (typeof pods === "string") return withoutProposal(draft, current, { metrics: null, error: pods });
  const combined = combine(draft, scale, pods);
  draft.trace.push(...combined.trace);
  for (const failure of combined.failures) warn(draft, failure.reason, failure.message);
  const { error, isSpecError } = combined;
  if (combined.replicas === undefined) {
    const first = combined.blocking;
    const message = `the HPA was unable to compute the replica count: ${first?.message ?? ""}`;
    setFalse(draft, "ScalingActive", first?.reason ?? "", message);
    return withoutProposal(draft, current, { metrics: combined.statuses, error: error ?? "", isSpecError });
  }
  const message = `the HPA was able to successfully calculate a replica count from ${combined.name}`;
  setTrue(draft, "ScalingActive", combined.isFallback ? "FallbackReplicas" : "ValidMetricFound", message);
  const desired = Math.max(0, combined.replicas);
  const reason = reasonOf(combined, desired - current);
  return normalized(draft, { current, desired, reason, metrics: combined.statuses, error, isSpecError });
}

function reasonOf({ name, isFallback }: Combined, change: number): string {
  if (change === 0) return "";
  if (isFallback) return name;
  return change > 0 ? `${name} above target` : "All metrics below target";
}

/** The proposals of all metrics, or of what their failure policies put in their place. */
function combine(
  draft: Draft,
  scale: Extract<ScaleReading, { ok: true }>,
  pods: MetricContext["pods"],
): Combined {
  const { subject, memory } = draft;
  const { options, semantics, samples, nowMs, namespace, metrics, failurePolicies: policies } = subject;
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
  const { lastGoodSamples = {}, failingSinceMs = {}, ...rest } = memory;
  const policed = { policies, maxReplicas, lastGoodSamples, failingSinceMs };
  const combined = combineMetrics(metrics, samples, context, policed);
  const { outcomes } = combined;
  const good = withGoodSamples(lastGoodSamples, { specs: metrics, policies, samples, outcomes, nowMs });
  const failing = failingSince(failingSinceMs, { specs: metrics, policies, outcomes, nowMs });
  draft.memory = {
    ...rest,
    ...(Object.keys(good).length === 0 ? {} : { lastGoodSamples: good }),
    ...(Object.keys(failing).length === 0 || subject.mode === "Paused" ? {} : { failingSinceMs: failing }),
  };
  return combined;
}

/** Without metrics the minimum is the count: that of the specification, or what schedules make of it. */
function bySchedules(draft: Draft, current: number): Decision {
  setTrue(draft, "ScalingActive", "SchedulesOnly", "no metrics are configured; schedules alone decide");
  const desired = draft.subject.minReplicas;
  const reason = desired === current ? "" : "No schedule requires more";
  return normalized(draft, { current, desired, reason, metrics: [] });
}

/**
 * Stabilization first, on unlimited counts; then rate, min and max.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#normalizeDesiredReplicas
 * @upstream pkg/controller/podautoscaler/horizontal.go#normalizeDesiredReplicasWithBehaviors
 */
function normalized(draft: Draft, proposed: Settlement): Decision {
  const { subject, memory } = draft;
  const { current, desired: desiredReplicas } = proposed;
  const { nowMs, minReplicas, maxReplicas, behavior, semantics } = subject;
  const { downscaleStabilizationMs } = subject.options;
  const stabilized = stabilizeReplicas({
    nowMs,
    currentReplicas: current,
    desiredReplicas,
    recommendations: memory.recommendations,
    behavior,
    downscaleStabilizationMs,
  });
  const limited = limitReplicas({
    nowMs,
    currentReplicas: current,
    memory,
    saturates: semantics.saturates === "all",
    desiredReplicas: stabilized.replicas,
    minReplicas,
    maxReplicas,
    behavior,
  });
  draft.trace.push(stabilized.trace, ...limited.trace);
  draft.memory = { ...memory, recommendations: stabilized.recommendations };
  setTrue(draft, "AbleToScale", stabilized.reason, stabilizationMessages[stabilized.reason]);
  const setLimited = limited.replicas === stabilized.replicas ? setFalse : setTrue;
  setLimited(draft, "ScalingLimited", limited.reason, limitMessages[limited.reason]);
  let desired = limited.replicas;
  let { reason } = proposed;
  if (current === 0 && minReplicas !== 0 && isScaledToZero(subject) && desired < minReplicas) {
    desired = minReplicas;
    if (reason === "") reason = "Current number of replicas below Spec.MinReplicas";
  }
  return settle(draft, { ...proposed, desired: heldByCooldown(draft, current, desired), reason });
}
