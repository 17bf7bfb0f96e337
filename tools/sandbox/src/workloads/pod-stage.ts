// The stage of a simulated pod, and when it changes.
import { parseGoDuration } from "@plimsoll/core/duration";
import { isReady, type Pod } from "./pod.ts";

/** Overrides how long a pod takes from Running to Ready: a Go duration, on the pod (template). */
export const readyDelayAnnotation = "sandbox.plimsoll.dev/ready-delay";
/** The address of a pod, on the pod (template): with 127.0.0.1, its page of metrics is on this machine. */
export const addressAnnotation = "sandbox.plimsoll.dev/pod-ip";
/** Fixes what becomes of a pod: Pending, NeverReady, CrashLoop, Failed or Succeeded. */
export const phaseAnnotation = "sandbox.plimsoll.dev/phase";

/** How far a pod has come. `Unscheduled` is only ever a start. */
export type PodStage =
  | "Unscheduled"
  | "Unschedulable"
  | "Scheduled"
  | "Running"
  | "Ready"
  | "CrashLoop"
  | "Failed"
  | "Succeeded";

export interface StageTimes {
  readonly nowMs: number;
  readonly createdAtMs: number;
  readonly runningAtMs: number | undefined;
  readonly startDelayMs: number;
  readonly readyDelayMs: number;
}

/** The stage a pod should be in now, and when it changes next. */
export function dueStage(pod: Pod, times: StageTimes): { stage: PodStage; nextInMs?: number } {
  const wanted = pod.metadata.annotations?.[phaseAnnotation]?.toLowerCase();
  if (wanted === "pending") return { stage: "Unschedulable" };
  const startsInMs = times.createdAtMs + times.startDelayMs - times.nowMs;
  if (times.runningAtMs === undefined && startsInMs > 0) return { stage: "Scheduled", nextInMs: startsInMs };
  switch (wanted ?? "") {
    case "neverready":
      return { stage: "Running" };
    case "crashloop":
      return { stage: "CrashLoop" };
    case "failed":
      return { stage: "Failed" };
    case "succeeded":
      return { stage: "Succeeded" };
    default: {
      const readyDelayMs = annotatedDelayMs(pod) ?? times.readyDelayMs;
      const readyInMs = (times.runningAtMs ?? times.nowMs) + readyDelayMs - times.nowMs;
      return readyInMs > 0 ? { stage: "Running", nextInMs: readyInMs } : { stage: "Ready" };
    }
  }
}

/** The stage that a stored pod shows, for a pod that was there before the simulation started. */
export function shownStage(pod: Pod): PodStage {
  switch (pod.status?.phase ?? "") {
    case "Running":
      return isReady(pod) ? "Ready" : "Running";
    case "Failed":
      return "Failed";
    case "Succeeded":
      return "Succeeded";
    default:
      return "Unscheduled";
  }
}

function annotatedDelayMs(pod: Pod): number | undefined {
  const text = pod.metadata.annotations?.[readyDelayAnnotation];
  return text === undefined ? undefined : parseGoDuration(text);
}
