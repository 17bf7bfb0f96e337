// Plans which jobs of a CronHorizontalPodAutoscaler run now.
import { type CronSchedule, nextFiring, type ZoneOffset } from "@plimsoll/core/schedules";
import type { CronHpaRecord } from "./record.ts";

/** What is to become of a job that is due. */
export interface DueRun {
  readonly record: CronHpaRecord;
  /** Position among its object's jobs. */
  readonly index: number;
  readonly dueMs: number;
  readonly isLate: boolean;
  readonly decision:
    | { readonly kind: "run" }
    /** The day is one of excludeDates. */
    | { readonly kind: "excluded"; readonly by: string }
    | { readonly kind: "missed"; readonly why: string };
}

/** Whoever is later than this was not there when the job was due. */
const lateMs = 60_000;

/**
 * What is due by now among all objects that name one target, in its order. Of the times that a job missed only the
 * last one counts; and of all that was missed on a target, only what came last: the rest would be undone at once.
 */
export function planRuns(
  records: readonly CronHpaRecord[],
  limits: { readonly nowMs: number; readonly missedRunsMs: number },
): readonly DueRun[] {
  const due = records
    .flatMap((record) => record.jobs.map((_, index) => dueRun(record, index, limits)))
    .filter((run) => run !== undefined)
    .sort((one, other) => one.dueMs - other.dueMs);
  const lastMs = Math.max(...due.filter(({ decision }) => decision.kind === "run").map(({ dueMs }) => dueMs));
  return due.map((run) => {
    if (run.decision.kind !== "run" || !run.isLate || run.dueMs === lastMs) return run;
    return { ...run, decision: { kind: "missed", why: "a later run on the same target replaces it" } };
  });
}

function dueRun(
  record: CronHpaRecord,
  index: number,
  { nowMs, missedRunsMs }: { readonly nowMs: number; readonly missedRunsMs: number },
): DueRun | undefined {
  const known = record.jobs[index];
  if (known?.nextMs === undefined || known.nextMs > nowMs || !known.job.plan.ok) return undefined;
  const span = { afterMs: known.settledMs, untilMs: nowMs };
  const dueMs = lastFiring(known.job.plan.schedule, span, record.compiled.offset) ?? known.nextMs;
  const ageMs = nowMs - dueMs;
  const isLate = ageMs > lateMs;
  const by = record.compiled.exclusionAt(dueMs);
  const decision = (): DueRun["decision"] => {
    if (by !== undefined) return { kind: "excluded", by };
    if (isLate && ageMs > missedRunsMs) return { kind: "missed", why: "it was due too long ago" };
    return { kind: "run" };
  };
  return { record, index, dueMs, isLate, decision: decision() };
}

/** The last time after one instant, and not after another, at which a schedule was due. */
function lastFiring(
  schedule: CronSchedule,
  { afterMs, untilMs }: { readonly afterMs: number; readonly untilMs: number },
  offset: ZoneOffset,
): number | undefined {
  const first = nextFiring(schedule, afterMs, offset);
  if (first === undefined || first > untilMs) return undefined;
  if (schedule.kind === "every")
    return first + Math.floor((untilMs - first) / schedule.intervalMs) * schedule.intervalMs;
  // It is due at `low`, and not between `high` and the end; halving finds the last of a million as well.
  let low = first;
  let high = untilMs;
  while (high - low >= 1000) {
    const middle = (low + high) / 2;
    const next = nextFiring(schedule, middle, offset);
    if (next !== undefined && next <= untilMs) low = next;
    else high = middle;
  }
  return low;
}
