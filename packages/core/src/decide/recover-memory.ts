// Recovers memory from the object and its status after a takeover.
import { defaultBehavior } from "../objects/api/behavior-defaults.ts";
import type { HpaMemory, ScaleEvent, UnknownHistory } from "../objects/decision.ts";
import type { HorizontalPodAutoscaler, HpaBehavior } from "../objects/hpa.ts";
import { instantMs } from "../values/time/rfc3339.ts";
import { isUnknown } from "./behavior/unknown-history.ts";

/** What `recoverMemory` takes. */
export interface RecoverInput {
  readonly hpa: Pick<HorizontalPodAutoscaler, "spec" | "status">;
  /** scale.spec.replicas. */
  readonly replicas: number;
  /** When an autoscaler last wrote the replicas of the target, as far as the API server noted it. */
  readonly writtenAtMs: number | undefined;
  readonly nowMs: number;
}

/** Times of the API are cut to seconds: the write may have been later by as much. */
const precisionMs = 1000;

/**
 * What can be known of the past of an object that another process decided on until now; undefined: nothing.
 * Recommendations start with the current replicas, so nothing scales down sooner than the window allows. When the
 * replicas are not those of the status, a process ended between its two writes: that change is as old as the write,
 * if it is known, else it counts as one of this moment. What was changed before is `unknownHistory`.
 */
export function recoverMemory(input: RecoverInput): HpaMemory | undefined {
  const { hpa, replicas, nowMs, writtenAtMs } = input;
  const { status } = hpa;
  const announcedMs = instantMs(status?.lastScaleTime);
  const history = unknownHistory(hpa.spec.behavior, latest(announcedMs, writtenAtMs), nowMs);
  if (status === undefined || (status.conditions ?? []).length === 0) return memoryOf(undefined, history);
  const announced = status.desiredReplicas ?? 0;
  const before = status.currentReplicas ?? 0;
  if (replicas !== announced) {
    const isOfThatWrite = writtenAtMs !== undefined && writtenAtMs > (announcedMs ?? 0);
    const atMs = isOfThatWrite ? Math.min(writtenAtMs + precisionMs, nowMs) : nowMs;
    return memoryOf({ from: announced, to: replicas, atMs }, history);
  }
  if (announcedMs === undefined || before === announced) return memoryOf(undefined, history);
  return memoryOf({ from: before, to: announced, atMs: Math.min(announcedMs, nowMs) }, history);
}

/** Undefined when every change that a policy could count is too old. */
function unknownHistory(
  behavior: HpaBehavior | null | undefined,
  scaledMs: number | undefined,
  nowMs: number,
): UnknownHistory | undefined {
  if (scaledMs === undefined || behavior === undefined || behavior === null) return undefined;
  const lastScaleMs = Math.min(scaledMs + precisionMs, nowMs);
  const { scaleUp, scaleDown } = defaultBehavior(behavior);
  const periods = [...scaleUp.policies, ...scaleDown.policies].map(({ periodSeconds }) => periodSeconds);
  const history = { lastScaleMs, untilMs: lastScaleMs + Math.max(0, ...periods) * 1000 };
  return isUnknown(history, nowMs) ? history : undefined;
}

function latest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
}

function memoryOf(
  change: { readonly from: number; readonly to: number; readonly atMs: number } | undefined,
  history: UnknownHistory | undefined,
): HpaMemory | undefined {
  if (change === undefined && history === undefined) return undefined;
  const { from, to, atMs } = change ?? { from: 0, to: 0, atMs: 0 };
  const events: readonly ScaleEvent[] = [{ change: Math.abs(to - from), atMs }];
  return {
    recommendations: [],
    scaleUpEvents: to > from ? events : [],
    scaleDownEvents: to < from ? events : [],
    ...(history === undefined ? {} : { unknownHistory: history }),
  };
}
