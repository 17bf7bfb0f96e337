// The state of schedules at an instant, computed under a rate limit for each namespace.
import { type Clock, createBoundedCache } from "@plimsoll/component-base";
import type { ReplicaBounds, ScheduleState } from "@plimsoll/core";
import { countedState, type Schedule } from "@plimsoll/core/schedules";
import { namespaceOf } from "./calendars/calendar-budget.ts";

/** What schedules say, with a limit on the work for each namespace. */
export interface ScheduleStates {
  /** Whether the state is known, of now or of a while ago, or the limit allows to compute it. */
  isReady(key: string, schedules: readonly Schedule[]): boolean;
  /** The state at an instant; where the limit is used up, the last known one. */
  stateOf(key: string, schedules: readonly Schedule[], nowMs: number): ScheduleState;
}

/** Steps of a namespace: the burst, and the refill per second. A worst entry takes 2,500, a usual one less than a hundred. */
export const workLimits = { burst: 2_000_000, perSecond: 50_000 } as const;
const fullAgainMs = (1000 * workLimits.burst) / workLimits.perSecond;

export function createScheduleStates(clock: Clock): ScheduleStates {
  const known = new WeakMap<readonly Schedule[], ScheduleState>();
  const namespaces = createBoundedCache<{ readonly steps: number; readonly atMs: number }>({
    name: "schedule_work",
    maxBytes: 4_000_000,
    ttlMs: fullAgainMs,
    nowMs: () => clock.nowMs(),
    after: (delayMs, run) => clock.after(delayMs, run),
  });
  return {
    isReady: (key, schedules) => known.has(schedules) || left(namespaceOf(key)) > 0,
    stateOf(key, schedules, nowMs) {
      const before = known.get(schedules);
      const namespace = namespaceOf(key);
      if (before !== undefined && (lasts(before, nowMs) || left(namespace) <= 0)) return before;
      const { state, steps } = countedState(schedules, nowMs);
      known.set(schedules, state);
      namespaces.set(namespace, { steps: left(namespace) - steps, atMs: clock.nowMs() });
      return state;
    },
  };

  function left(namespace: string): number {
    const { burst, perSecond } = workLimits;
    const nowMs = clock.nowMs();
    const { steps, atMs } = namespaces.get(namespace) ?? { steps: burst, atMs: nowMs };
    return Math.min(burst, steps + (Math.max(0, nowMs - atMs) * perSecond) / 1000);
  }
}

/** A clock that was set back leaves it too. */
export function lasts({ atMs, nextMs }: ScheduleState, nowMs: number): boolean {
  return nowMs >= atMs && nowMs < (nextMs ?? Infinity);
}

/**
 * The bounds while schedules hold. A floor raises the minimum, and the maximum where that lies below; a ceiling lowers
 * the maximum, and the minimum where that lies above. What is moved stays inside the outer bounds.
 */
export function movedBounds(
  own: ReplicaBounds,
  {
    outer,
    state,
  }: { readonly outer: ReplicaBounds; readonly state: Pick<ScheduleState, "floor" | "ceiling"> },
): ReplicaBounds {
  const { floor = 0, ceiling = Number.POSITIVE_INFINITY } = state;
  const inside = (count: number) =>
    Math.min(Math.max(count, outer.minReplicas), Math.max(outer.maxReplicas, outer.minReplicas));
  const moved = (from: number, to: number) => (from === to ? from : inside(to));
  const minReplicas = moved(own.minReplicas, Math.min(Math.max(own.minReplicas, floor), ceiling));
  const maxReplicas = moved(own.maxReplicas, Math.max(Math.min(own.maxReplicas, ceiling), minReplicas));
  // No HPA has a maximum of 0, nor one below its minimum; where the outer bounds allow no other, it stays.
  const least = Math.max(maxReplicas, minReplicas, 1);
  return { minReplicas, maxReplicas: least === inside(least) ? least : own.maxReplicas };
}
