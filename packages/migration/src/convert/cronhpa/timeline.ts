// The runs of cron jobs as stretches of time: what each job begins, and which job ends it.
import { dayMs, yearMs } from "@plimsoll/core/internal/values";
import { type CronFields, nextFiring, parseCron } from "@plimsoll/core/schedules";

/** Two years of local times, as if they were UTC: what follows on what does not depend on the year. */
const fromMs = 1_704_067_200_000;
const untilMs = fromMs + 2 * yearMs;
const maxFirings = 20_000;

export interface TimelineJob {
  readonly name: string;
  readonly schedule: string;
  readonly targetSize: number;
}

/** What comes after one job's times: the times themselves, and when the next change by another job is. */
export interface Stretch {
  readonly atMs: number;
  readonly lastsMs: number;
  /** Position of the job that ends it. */
  readonly endedBy: number;
}

/**
 * The stretches between each job's times and the next time of a job that sets another size. Undefined when a job
 * is due too often to look at.
 */
export function stretchesOf(jobs: readonly TimelineJob[]): readonly (readonly Stretch[])[] | undefined {
  const firings: { readonly atMs: number; readonly job: number }[] = [];
  for (const [job, { schedule }] of jobs.entries()) {
    const parsed = parseCron(schedule, "cronhpa");
    if (parsed === undefined) return undefined;
    let atMs = nextFiring(parsed, fromMs - 1, () => 0);
    while (atMs !== undefined && atMs < untilMs) {
      firings.push({ atMs, job });
      if (firings.length > maxFirings) return undefined;
      atMs = nextFiring(parsed, atMs, () => 0);
    }
  }
  firings.sort((one, other) => one.atMs - other.atMs || one.job - other.job);
  const stretches: Stretch[][] = jobs.map(() => []);
  for (const [index, { atMs, job }] of firings.entries()) {
    const end = firings
      .slice(index + 1)
      .find((later) => jobs[later.job]?.targetSize !== jobs[job]?.targetSize);
    // What begins near the end of the two years has no end in them.
    if (end !== undefined) stretches[job]?.push({ atMs, lastsMs: end.atMs - atMs, endedBy: end.job });
  }
  return stretches;
}

/** Weekdays, 0 for Sunday, on which a job's times last equally long; undefined when those of one weekday differ. */
export function lengthsByWeekday(stretches: readonly Stretch[]): ReadonlyMap<number, number> | undefined {
  const lengths = new Map<number, number>();
  for (const { atMs, lastsMs } of stretches) {
    const weekday = new Date(atMs).getUTCDay();
    const known = lengths.get(weekday);
    if (known !== undefined && known !== lastsMs) return undefined;
    lengths.set(weekday, lastsMs);
  }
  return lengths;
}

/** "8h30m". */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const parts = [
    [Math.floor(seconds / 3600), "h"],
    [Math.floor(seconds / 60) % 60, "m"],
    [seconds % 60, "s"],
  ] as const;
  return parts.flatMap(([amount, unit]) => (amount === 0 ? [] : [`${amount}${unit}`])).join("") || "0s";
}

/** Days since 1970 that an entry of excludeDates names, in the three years from a day on. */
export function daysNamed(isNamed: (localMs: number) => boolean, firstMs: number): readonly string[] {
  const days: string[] = [];
  const firstDay = Math.floor(firstMs / dayMs) * dayMs;
  for (let day = firstDay; day < firstDay + 3 * yearMs; day += dayMs) {
    if (isNamed(day)) days.push(new Date(day).toISOString().slice(0, 10));
  }
  return days;
}

/** Whether the days of the month and the months are left open. */
export function isWeekly({ dayOfMonth, month }: CronFields): boolean {
  return dayOfMonth.isStar && dayOfMonth.values.size === 31 && month.isStar && month.values.size === 12;
}
