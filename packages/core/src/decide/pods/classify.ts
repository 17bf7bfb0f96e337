// Classifies pods for a metric as upstream does: ready, unready, missing or ignored.
import type { ControllerOptions } from "../../objects/options.ts";
import type { Semantics } from "../../objects/semantics.ts";
import type { PodReason } from "../../objects/trace/metric.ts";
import { instantOrZeroMs, type Timestamp } from "../../values/time/rfc3339.ts";
import type { PodFacts } from "./facts.ts";

/** When a sample was taken and over how long. */
export interface SampleTime {
  readonly timestamp?: Timestamp | undefined;
  readonly windowSeconds?: number | undefined;
}

export interface ClassifyRules {
  readonly nowMs: number;
  /** Only CPU looks at readiness. */
  readonly isCpu: boolean;
  readonly options: Pick<ControllerOptions, "cpuInitializationPeriodMs" | "initialReadinessDelayMs">;
  readonly semantics: Pick<Semantics, "ignoresSucceededPods">;
}

export type PodGroup = "ready" | "unready" | "missing" | "ignored";

/**
 * Why a pod counts as it does; `groupOf` gives the group. `sample` is undefined when the pod has none.
 *
 * @upstream pkg/controller/podautoscaler/replica_calculator.go#groupPods
 */
export function classifyPod(pod: PodFacts, sample: SampleTime | undefined, rules: ClassifyRules): PodReason {
  if (pod.isBeingDeleted) return "being-deleted";
  const { fate } = pod;
  if (fate !== undefined && (fate !== "succeeded" || rules.semantics.ignoresSucceededPods)) return fate;
  if (sample === undefined) return "no-sample";
  if (!rules.isCpu) return "has-sample";
  if (pod.ready === undefined) return "no-ready-condition";
  const { startMs } = pod;
  return startMs === undefined ? "no-start-time" : cpuReadiness(pod, startMs, sample, rules);
}

function cpuReadiness(pod: PodFacts, startMs: number, sample: SampleTime, rules: ClassifyRules): PodReason {
  const isNotReady = pod.ready === "False";
  if (startMs + rules.options.cpuInitializationPeriodMs > rules.nowMs) {
    if (isNotReady) return "initializing-not-ready";
    const usableFromMs = pod.readySinceMs + windowMs(sample.windowSeconds);
    return instantOrZeroMs(sample.timestamp) < usableFromMs ? "initializing-sample-too-early" : "has-sample";
  }
  if (!isNotReady) return "has-sample";
  return startMs + rules.options.initialReadinessDelayMs > pod.readySinceMs ? "never-ready" : "has-sample";
}

function windowMs(seconds: number | undefined): number {
  return typeof seconds === "number" && Number.isFinite(seconds) ? seconds * 1000 : 0;
}

/** The group of what `classifyPod` says. */
export function groupOf(reason: PodReason): PodGroup {
  if (reason === "has-sample") return "ready";
  if (reason === "no-sample") return "missing";
  return isIgnored(reason) ? "ignored" : "unready";
}

function isIgnored(reason: PodReason): boolean {
  return reason === "being-deleted" || reason === "failed" || reason === "succeeded";
}

/** Counted by Object and External Value metrics. @upstream replica_calculator.go#getReadyPodsCount */
export function readinessReason(pod: PodFacts): PodReason {
  if (!pod.isRunning) return "not-running";
  return pod.ready === "True" ? "running-and-ready" : "not-ready";
}
