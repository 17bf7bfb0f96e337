import type { ControllerOptions } from "../spec/options.ts";
import type { Pod, PodCondition } from "../spec/pod.ts";
import type { Timestamp } from "../spec/timestamp.ts";
import { instantMs, instantOrZeroMs } from "../time/rfc3339.ts";
import type { PodReason } from "../trace/metric.ts";

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
export function classifyPod(pod: Pod, sample: SampleTime | undefined, rules: ClassifyRules): PodReason {
  const deletion = pod.metadata?.deletionTimestamp;
  if (deletion !== undefined && deletion !== null) return "being-deleted";
  const status = pod.status;
  const phase = status?.phase;
  if (phase === "Failed") return "failed";
  if (phase === "Pending") return "pending";
  if (sample === undefined) return "no-sample";
  if (!rules.isCpu) return "has-sample";
  const ready = readyCondition(status?.conditions);
  if (ready === undefined) return "no-ready-condition";
  const startMs = instantMs(status?.startTime);
  return startMs === undefined ? "no-start-time" : cpuReadiness(startMs, ready, sample, rules);
}

function cpuReadiness(
  startMs: number,
  ready: PodCondition,
  sample: SampleTime,
  rules: ClassifyRules,
): PodReason {
  const isNotReady = ready.status === "False";
  if (startMs + rules.options.cpuInitializationPeriodMs > rules.nowMs) {
    if (isNotReady) return "initializing-not-ready";
    const usableFromMs = instantOrZeroMs(ready.lastTransitionTime) + windowMs(sample.windowSeconds);
    return instantOrZeroMs(sample.timestamp) < usableFromMs ? "initializing-sample-too-early" : "has-sample";
  }
  if (!isNotReady) return "has-sample";
  const readinessEndsMs = startMs + rules.options.initialReadinessDelayMs;
  return readinessEndsMs > instantOrZeroMs(ready.lastTransitionTime) ? "never-ready" : "has-sample";
}

function windowMs(seconds: number | undefined): number {
  return typeof seconds === "number" && Number.isFinite(seconds) ? seconds * 1000 : 0;
}

/** The first condition of type Ready. */
export function readyCondition(conditions: readonly PodCondition[] | undefined): PodCondition | undefined {
  if (!Array.isArray(conditions)) return undefined;
  for (const condition of conditions as readonly PodCondition[]) {
    if (condition?.type === "Ready") return condition;
  }
  return undefined;
}

const groups: Readonly<Record<PodReason, PodGroup>> = {
  "has-sample": "ready",
  "running-and-ready": "ready",
  "no-sample": "missing",
  "being-deleted": "ignored",
  failed: "ignored",
  succeeded: "ignored",
  pending: "unready",
  "no-ready-condition": "unready",
  "no-start-time": "unready",
  "initializing-not-ready": "unready",
  "initializing-sample-too-early": "unready",
  "never-ready": "unready",
  "not-running": "unready",
  "not-ready": "unready",
  "not-selected": "unready",
};

export function groupOf(reason: PodReason): PodGroup {
  return groups[reason];
}

/** Counted by Object and External Value metrics. @upstream replica_calculator.go#getReadyPodsCount */
export function readinessReason(pod: Pod): PodReason {
  if (pod.status?.phase !== "Running") return "not-running";
  return readyCondition(pod.status.conditions)?.status === "True" ? "running-and-ready" : "not-ready";
}
