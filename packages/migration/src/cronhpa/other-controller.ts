// Differences from kubernetes-cronhpa-controller.
import { hourMs } from "@plimsoll/core/internal/values";
import { type CronSchedule, nextFiring, parseCron, type ZoneOffset } from "@plimsoll/core/schedules";

/** What kubernetes-cronhpa-controller does, where that differs; read in its source at commit 31c63be. */

/**
 * The entry of excludeDates because of which it would skip a run. It looks for the entry's next time and compares
 * month and hour, where it means the day.
 */
export function exclusionByOther(
  excludeDates: readonly string[],
  runMs: number,
  offset: ZoneOffset,
): string | undefined {
  // By the time it looks, the second has begun.
  const nowMs = runMs + 1;
  const now = new Date(nowMs + offset(nowMs));
  return excludeDates.find((text) => {
    const rule = parseCron(text, "cronhpa");
    const nextMs = rule && nextFiring(rule, nowMs, offset);
    if (nextMs === undefined) return false;
    const next = new Date(nextMs + offset(nextMs));
    return next.getUTCMonth() === now.getUTCMonth() && next.getUTCHours() === now.getUTCHours();
  });
}

export interface ClockChange {
  readonly atMs: number;
  /** Local times that do not exist, or exist twice, as if they were UTC. */
  readonly fromLocal: number;
  readonly toLocal: number;
  readonly kind: "skipped" | "repeated";
}

/** The changes of a zone's clocks in a span of time. */
export function clockChanges(
  span: { readonly fromMs: number; readonly untilMs: number },
  offset: ZoneOffset,
): readonly ClockChange[] {
  const changes: ClockChange[] = [];
  const first = Math.ceil(span.fromMs / hourMs) * hourMs;
  for (let hour = first; hour < span.untilMs; hour += hourMs) {
    const [before, after] = [offset(hour), offset(hour + hourMs)];
    if (before === after) continue;
    const atMs = changeBetween(hour, hour + hourMs, offset);
    const [one, other] = [atMs + before, atMs + after];
    changes.push({
      atMs,
      fromLocal: Math.min(one, other),
      toLocal: Math.max(one, other),
      kind: after > before ? "skipped" : "repeated",
    });
  }
  return changes;
}

function changeBetween(fromMs: number, toMs: number, offset: ZoneOffset): number {
  let [low, high] = [fromMs, toMs];
  while (high - low > 1000) {
    const middle = Math.floor((low + high) / 2000) * 1000;
    if (offset(middle) === offset(fromMs)) low = middle;
    else high = middle;
  }
  return high;
}

/** The first of the local times of a change at which a schedule is due; undefined when it is not. */
export function dueWithin(schedule: CronSchedule, { fromLocal, toLocal }: ClockChange): number | undefined {
  if (schedule.kind === "every") return undefined;
  const due = nextFiring(schedule, fromLocal - 1000, () => 0);
  return due !== undefined && due < toLocal ? due : undefined;
}
