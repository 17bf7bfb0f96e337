// How many pods of a workload are ready and available.
import { availableFromMs, isReady, type Pod } from "./pod.ts";

export interface PodCounts {
  readonly ready: number;
  readonly available: number;
  /** When the next Ready pod becomes available, if one is still waiting for that. */
  readonly nextAvailableInMs?: number;
}

export function countPods(pods: readonly Pod[], minReadySeconds: number, nowMs: number): PodCounts {
  let ready = 0;
  let available = 0;
  let nextAtMs = Number.POSITIVE_INFINITY;
  for (const pod of pods) {
    if (!isReady(pod)) continue;
    ready += 1;
    const fromMs = availableFromMs(pod, minReadySeconds) ?? 0;
    if (fromMs <= nowMs) available += 1;
    else nextAtMs = Math.min(nextAtMs, fromMs);
  }
  return Number.isFinite(nextAtMs)
    ? { ready, available, nextAvailableInMs: nextAtMs - nowMs }
    : { ready, available };
}
