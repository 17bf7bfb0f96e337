// Classifies pods for a metric as upstream does: ready, unready, missing or ignored.
import type { ControllerOptions } from "../spec/options.ts";
import type { Timestamp } from "../spec/timestamp.ts";
import { instantOrZeroMs } from "../time/rfc3339.ts";
import type { PodReason } from "../trace/metric.ts";
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
}

export type PodGroup = "ready" | "unready" | "missing" | "ignored";

/**
 * Why a pod counts as it does; `groupOf` gives the group. `sample` is undefined when the pod has none.
 *
 * @upstream pkg/controller/podautoscaler/replica_calculator.go#groupPods
 */
export function classifyPod(pod: PodFacts, sample: SampleTime | undefined, rules: ClassifyRules): PodReason {
  if (pod.isBeingDeleted) return "being-deleted";
  if (pod.fate !== undefined) return pod.fate;
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
  return reason === "being-deleted" || reason === "failed" ? "ignored" : "unready";
}

/** Counted by Object and External Value metrics. @upstream replica_calculator.go#getReadyPodsCount */
export function readinessReason(pod: PodFacts): PodReason {
  if (!pod.isRunning) return "not-running";
  return pod.ready === "True" ? "running-and-ready" : "not-ready";
}
