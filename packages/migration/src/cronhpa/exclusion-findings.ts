// Findings about excludeDates.
import type { CompiledCronHpa, CronHpaSource } from "@plimsoll/core/cronhpa";
import { type Remark, yearMs } from "@plimsoll/core/internal/values";
import { nextFiring, parseCron } from "@plimsoll/core/schedules";
import { localText } from "./local-text.ts";
import { exclusionByOther } from "./other-controller.ts";

/** Jobs that run all the time are looked at for a part of the year. */
const maxRuns = 4000;

interface Differences {
  /** Runs that the other controller skips and ours does not. */
  readonly lostMs: number[];
  /** Runs that the other controller makes on excluded days. */
  readonly madeMs: number[];
}

/** What becomes of the runs of the year to come under the two readings of excludeDates. */
export function exclusionFindings(
  { spec }: CronHpaSource,
  compiled: CompiledCronHpa,
  nowMs: number,
): readonly Remark[] {
  const { excludeDates } = spec;
  const entries = excludeDates.flatMap((text, index) => entryFindings(text, index));
  if (excludeDates.length === 0) return entries;
  const jobs = compiled.jobs.flatMap((job, index): readonly Remark[] => {
    const found = compare();
    const { lostMs, madeMs } = found;
    if (lostMs.length + madeMs.length === 0) return [];
    const text = (at: readonly number[], what: string) =>
      at[0] === undefined ? [] : [`${at.length} ${what}, the first at ${localText(at[0], compiled.offset)}`];
    const parts = [
      ...text(madeMs, "on excluded days that it runs and Plimsoll skips"),
      ...text(lostMs, "on other days that it skips and Plimsoll runs"),
    ];
    return [
      {
        path: `spec.jobs[${index}]`,
        message: `has runs in the next year that kubernetes-cronhpa-controller excludes by month and hour instead of by day: ${parts.join("; ")}`,
        remedy: "check that the calendar has the days that you want",
      },
    ];

    function compare(): Differences {
      const differences: Differences = { lostMs: [], madeMs: [] };
      if (!job.plan.ok) return differences;
      let at = nextFiring(job.plan.schedule, nowMs, compiled.offset);
      for (let run = 0; at !== undefined && at < nowMs + yearMs && run < maxRuns; run++) {
        const isSkipped = compiled.exclusionAt(at) !== undefined;
        const isSkippedThere = exclusionByOther(excludeDates, at, compiled.offset) !== undefined;
        if (isSkippedThere && !isSkipped) differences.lostMs.push(at);
        if (isSkipped && !isSkippedThere) differences.madeMs.push(at);
        at = nextFiring(job.plan.schedule, at, compiled.offset);
      }
      return differences;
    }
  });
  return [...entries, ...jobs];
}

function entryFindings(text: string, index: number): readonly Remark[] {
  const at = { path: `spec.excludeDates[${index}]`, value: text };
  const rule = parseCron(text, "cronhpa");
  if (rule === undefined) {
    return [
      {
        ...at,
        message: "is not a schedule and excludes nothing",
        remedy: 'use a value such as "* * * 25 12 *"',
      },
    ];
  }
  if (rule.kind === "every")
    return [{ ...at, message: "is an interval, not a day: Plimsoll ignores it", remedy: "use days" }];
  const fields = text.trim().split(/\s+/);
  if (fields.length === 5 && !text.trim().startsWith("@")) {
    const message =
      "has five fields and is read with seconds first: its fourth field is the day of the month";
    return [{ ...at, message, remedy: `use "* ${text.trim()}" if you meant crontab syntax` }];
  }
  const stated = /^@date (\d{4})-/.exec(text.trim())?.[1];
  return stated === undefined
    ? []
    : [
        {
          ...at,
          message: "excludes that day of every year: the year is not read",
          remedy: "remove it after that day",
        },
      ];
}
