import {
  type DecideInput,
  formatInstant,
  type HpaMemory,
  instantMs,
  type ScalingRules,
} from "@plimsoll/core";
import type { NativeHpa } from "./native-hpa.ts";

/** What can be known of the past when an object is seen for the first time. */
export interface Past {
  readonly memory: HpaMemory | undefined;
  /** What of the past cannot be known, and how long that matters. */
  readonly gap: Gap | undefined;
}

/**
 * Changes that the rate policies would count may have been made by a former process: until the longest period of a
 * direction has passed since the last of them, all of its policies are taken as used up.
 */
export interface Gap {
  /** When the count was last changed by a controller. */
  readonly lastScaleMs: number;
  readonly upMs: number;
  readonly downMs: number;
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
  const writtenMs = o.writtenAtMs === undefined ? undefined : Math.min(o.writtenAtMs + precisionMs, nowMs);
  const gap = gapOf(hpa, latest(announcedMs, writtenMs), nowMs);
  if (status === undefined || (status.conditions ?? []).length === 0) return { memory: undefined, gap };
  const announced = status.desiredReplicas ?? 0;
  const before = status.currentReplicas ?? 0;
  if (replicas !== announced) {
    const isOfThatWrite = writtenMs !== undefined && writtenMs > (announcedMs ?? 0);
    const atMs = isOfThatWrite ? writtenMs : nowMs;
    return { memory: memoryWith({ from: announced, to: replicas, atMs }), gap };
  }
  if (announcedMs === undefined || before === announced) return { memory: undefined, gap };
  return { memory: memoryWith({ from: before, to: announced, atMs: Math.min(announcedMs, nowMs) }), gap };
}

/** Undefined when every change that a policy could count is too old. */
function gapOf({ spec }: NativeHpa, lastScaleMs: number | undefined, nowMs: number): Gap | undefined {
  const { behavior } = spec;
  if (lastScaleMs === undefined || behavior === undefined || behavior === null) return undefined;
  const upMs = longestPeriodMs(behavior.scaleUp);
  const downMs = longestPeriodMs(behavior.scaleDown);
  const gap = { lastScaleMs: Math.min(lastScaleMs, nowMs), upMs, downMs };
  return isOpen(gap, nowMs) ? gap : undefined;
}

export function isOpen({ lastScaleMs, upMs, downMs }: Gap, nowMs: number): boolean {
  return nowMs <= lastScaleMs + Math.max(upMs, downMs);
}

/** The input with what must not be done while the past is not known; also the last scale, if the status lacks it. */
export function withGap(input: DecideInput, gap: Gap): DecideInput {
  const { hpa } = input;
  const announcedMs = instantMs(hpa.status?.lastScaleTime);
  const isLater = announcedMs === undefined || announcedMs + precisionMs < gap.lastScaleMs;
  const status = isLater
    ? { ...hpa.status, lastScaleTime: formatInstant(gap.lastScaleMs) }
    : (hpa.status ?? {});
  return {
    ...input,
    hpa: { ...hpa, status },
    options: {
      ...input.options,
      upscaleForbiddenWindowMs: gap.upMs,
      downscaleForbiddenWindowMs: gap.downMs,
    },
  };
}

/** The period of the default policies, in either direction. */
const defaultPeriodSeconds = 15;

function longestPeriodMs(rules: ScalingRules | null | undefined): number {
  const policies = rules?.policies;
  if (!Array.isArray(policies)) return defaultPeriodSeconds * 1000 + precisionMs;
  return Math.max(0, ...policies.map(({ periodSeconds }) => periodSeconds)) * 1000 + precisionMs;
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
