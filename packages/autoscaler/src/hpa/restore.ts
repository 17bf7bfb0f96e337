import { type HpaMemory, instantMs } from "@plimsoll/core";
import type { NativeHpa } from "./native-hpa.ts";

/**
 * What can be known of the past when an object is seen for the first time: after a restart, or taken over from
 * another process. The log of recommendations opens with the current count (`decide` does that), so nothing scales
 * down sooner than the window allows. The last change of the count is rebuilt for the rate policies: from the status
 * that announced it, or, when the count is not the announced one (a process died between its two writes), as if it
 * were of this moment.
 */
export function restoredMemory(hpa: NativeHpa, replicas: number, nowMs: number): HpaMemory | undefined {
  const { status } = hpa;
  if (status === undefined || (status.conditions ?? []).length === 0) return undefined;
  const announced = status.desiredReplicas ?? 0;
  const before = status.currentReplicas ?? 0;
  const lastScaleMs = instantMs(status.lastScaleTime);
  if (replicas !== announced) return memoryWith({ from: announced, to: replicas, atMs: nowMs });
  if (lastScaleMs === undefined || before === announced) return undefined;
  return memoryWith({ from: before, to: announced, atMs: Math.min(lastScaleMs, nowMs) });
}

function memoryWith({ from, to, atMs }: { from: number; to: number; atMs: number }): HpaMemory {
  const event = { change: Math.abs(to - from), atMs };
  return {
    recommendations: [],
    scaleUpEvents: to > from ? [event] : [],
    scaleDownEvents: to < from ? [event] : [],
  };
}
