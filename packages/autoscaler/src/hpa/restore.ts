import { type HpaMemory, instantMs } from "@plimsoll/core";
import { type Gap, isOpen, policiesOf } from "./gap.ts";
import type { NativeHpa } from "./native-hpa.ts";

/** What can be known of the past when an object is seen for the first time. */
export interface Past {
  readonly memory: HpaMemory | undefined;
  /** What of the past cannot be known, and how long that matters. */
  readonly gap: Gap | undefined;
}

/** Times of the API are cut to seconds: what they tell of may have been later by as much. */
const precisionMs = 1000;

/**
 * After a restart, or taken over from another process. The log of recommendations opens with the current count
 * (`decide` does that), so nothing scales down sooner than the window allows. When the count is not the announced
 * one, a process died between its two writes: that change is as old as the write, if that is known, else it is taken
 * for one of this moment. What was changed before it cannot be known, so no policy may count on it.
 *
 * `writtenAtMs`: when a controller last wrote the target's count, as far as the API server noted it.
 */
export function restoredPast(
  hpa: NativeHpa,
  o: { readonly replicas: number; readonly writtenAtMs: number | undefined; readonly nowMs: number },
): Past {
  const { status } = hpa;
  const { replicas, nowMs } = o;
  const announcedMs = instantMs(status?.lastScaleTime);
  const writtenMs = o.writtenAtMs;
  const gap = gapOf(hpa, latest(announcedMs, writtenMs), nowMs);
  if (status === undefined || (status.conditions ?? []).length === 0) return { memory: undefined, gap };
  const announced = status.desiredReplicas ?? 0;
  const before = status.currentReplicas ?? 0;
  if (replicas !== announced) {
    const isOfThatWrite = writtenMs !== undefined && writtenMs > (announcedMs ?? 0);
    const atMs = isOfThatWrite ? Math.min(writtenMs + precisionMs, nowMs) : nowMs;
    return { memory: memoryWith({ from: announced, to: replicas, atMs }), gap };
  }
  if (announcedMs === undefined || before === announced) return { memory: undefined, gap };
  return { memory: memoryWith({ from: before, to: announced, atMs: Math.min(announcedMs, nowMs) }), gap };
}

/** Undefined when every change that a policy could count is too old. */
function gapOf({ spec }: NativeHpa, scaledMs: number | undefined, nowMs: number): Gap | undefined {
  const { behavior } = spec;
  if (scaledMs === undefined || behavior === undefined || behavior === null) return undefined;
  const lastScaleMs = Math.min(scaledMs + precisionMs, nowMs);
  const policies = [...policiesOf(behavior, true), ...policiesOf(behavior, false)];
  const longestSeconds = Math.max(0, ...policies.map(({ periodSeconds }) => periodSeconds));
  const gap = { lastScaleMs, untilMs: lastScaleMs + longestSeconds * 1000 };
  return isOpen(gap, nowMs) ? gap : undefined;
}

function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

function memoryWith({ from, to, atMs }: { from: number; to: number; atMs: number }): HpaMemory {
  const event = { change: Math.abs(to - from), atMs };
  return {
    recommendations: [],
    scaleUpEvents: to > from ? [event] : [],
    scaleDownEvents: to < from ? [event] : [],
  };
}
