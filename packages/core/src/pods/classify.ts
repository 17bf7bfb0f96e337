// Classifies pods for a metric as upstream does: ready, unready, missing or ignored.
import type { ControllerOptions } from "../spec/options.ts";
import type { Timestamp } from "../spec/timestamp.ts";
import { instantOrZeroMs } from "../time/rfc3339.ts";
import type { PodReason } from "../trace/metric.ts";
import { type PodFacts, readySinceMs, type StatusFacts } from "./facts.ts";

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
  const { ofStatus } = pod;
  if (ofStatus.fate !== undefined) return ofStatus.fate;
  if (sample === undefined) return "no-sample";
  if (!rules.isCpu) return "has-sample";
  if (ofStatus.ready === undefined) return "no-ready-condition";
  const { startMs } = ofStatus;
  return startMs === undefined ? "no-start-time" : cpuReadiness(ofStatus, startMs, sample, rules);
}

function cpuReadiness(
  pod: StatusFacts,
  startMs: number,
  sample: SampleTime,
  rules: ClassifyRules,
): PodReason {
  const isNotReady = pod.ready === "False";
  if (startMs + rules.options.cpuInitializationPeriodMs > rules.nowMs) {
    if (isNotReady) return "initializing-not-ready";
    const usableFromMs = readySinceMs(pod) + windowMs(sample.windowSeconds);
    return instantOrZeroMs(sample.timestamp) < usableFromMs ? "initializing-sample-too-early" : "has-sample";
  }
  if (!isNotReady) return "has-sample";
  return startMs + rules.options.initialReadinessDelayMs > readySinceMs(pod) ? "never-ready" : "has-sample";
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
export function readinessReason({ ofStatus }: PodFacts): PodReason {
  if (!ofStatus.isRunning) return "not-running";
  return ofStatus.ready === "True" ? "running-and-ready" : "not-ready";
}
