// Makes schedules of the jobs of a CronHorizontalPodAutoscaler.

import { type CompiledCronHpa, readCronHpaSchedule } from "@plimsoll/core/cronhpa";
import type { Remark } from "@plimsoll/core/internal/values";
import {
  parseCron,
  readSchedules,
  type ScheduleExclusion,
  type ScheduleSpec,
  upcomingTransitions,
  type ZoneOffset,
} from "@plimsoll/core/schedules";
import { standardCron } from "./standard-cron.ts";
import {
  durationText,
  isWeekly,
  lengthsByWeekday,
  type Stretch,
  stretchesOf,
  type TimelineJob,
} from "./timeline.ts";

export interface EntriesRead {
  readonly schedules: readonly ScheduleSpec[];
  /** The size outside of all of them. */
  readonly base: number;
  readonly notes: readonly Remark[];
  readonly problems: readonly Remark[];
}

interface Context {
  readonly timeZone: string;
  readonly exclusions: readonly ScheduleExclusion[];
  readonly zone: (timeZone: string) => ZoneOffset | undefined;
  readonly nowMs: number;
  /** What an entry says of a size: a floor where metrics decide beside it, or a fixed count. */
  readonly imposed: (size: number) => Pick<ScheduleSpec, "minReplicas" | "replicas">;
}

/**
 * Jobs as stretches of time: each begins at its own time and lasts until the next job that sets another size. The
 * smallest size is what holds outside of them.
 */
export function entriesOf({ jobs }: CompiledCronHpa, context: Context): EntriesRead {
  const least = Math.min(...jobs.map(({ targetSize }) => targetSize));
  const problems = jobs.flatMap((job, index) => jobProblems(job, index));
  const read = { schedules: [], base: least, notes: [], problems };
  if (problems.length > 0) return read;
  if (jobs.every(({ targetSize }) => targetSize === least)) {
    const remedy = "add a job for its end, with the size that applies afterwards";
    return { ...read, problems: [{ path: "spec.jobs", message: "never goes back to another size", remedy }] };
  }
  const stretches = stretchesOf(jobs);
  if (stretches === undefined) return { ...read, problems: [tooOften(jobs)] };
  const base = afterDates(jobs, { stretches, context }) ?? least;
  const made = jobs.map((job, index) =>
    entriesOfJob(job, {
      path: `spec.jobs[${index}]`,
      stretches: stretches[index] ?? [],
      jobs,
      base,
      context,
    }),
  );
  return {
    base,
    schedules: made.flatMap((one) => one.schedules),
    notes: made.flatMap((one) => one.notes),
    problems: made.flatMap((one) => one.problems),
  };
}

type Job = CompiledCronHpa["jobs"][number];

/** Dates come once: what the last one sets is for good, and may be more than before. A floor can't be less than the minimum. */
function afterDates(
  jobs: readonly Job[],
  { stretches, context }: Pick<JobPlace, "context"> & { readonly stretches: readonly (readonly Stretch[])[] },
): number | undefined {
  const isPlain = jobs.every(({ schedule, targetSize }) => {
    const standard = standardCron(schedule);
    return standard.ok && standard.isDate && context.imposed(targetSize).replicas !== undefined;
  });
  const lasting = stretches.map((all) => Math.max(0, ...all.map(({ lastsMs }) => lastsMs)));
  return isPlain ? jobs[lasting.indexOf(Math.max(...lasting))]?.targetSize : undefined;
}

function tooOften(jobs: readonly Job[]): Remark {
  const message = "is due too often to be converted to time ranges";
  const index = jobs.findIndex(({ schedule }) => isOfFiveFields(schedule));
  const value = jobs[index]?.schedule;
  if (value === undefined) return { path: "spec.jobs", message, remedy: "write the schedules by hand" };
  return {
    path: `spec.jobs[${index}].schedule`,
    value,
    message: `has five fields, so its first field is read as seconds: it ${message}`,
    remedy: crontabRemedy(value),
  };
}

interface JobPlace {
  readonly path: string;
  readonly stretches: readonly Stretch[];
  readonly jobs: readonly Job[];
  /** The size outside of all schedules. */
  readonly base: number;
  readonly context: Context;
}

function entriesOfJob(job: Job, place: JobPlace): Omit<EntriesRead, "base"> {
  const { path, stretches, base, context } = place;
  const standard = standardCron(job.schedule);
  if (!standard.ok) return { schedules: [], notes: [], problems: [] };
  const notes = runNotes(job, standard, path);
  // A base of 0 replicas has a schedule of its own, because outside of schedules at least one replica runs.
  const isBase = job.targetSize === base && context.imposed(base).replicas !== 0;
  if (isBase) return { schedules: [], notes, problems: [] };
  const found = entries(job, standard.fields, place);
  const message = "ends at times that don't follow a weekday rule";
  const remedy = "write the schedule by hand, with its start and end";
  const dated = standard.isDate ? (found ?? []).map((entry) => onlyOnce(entry, job, place)) : undefined;
  return {
    schedules: dated?.map(({ entry }) => entry) ?? found ?? [],
    notes: [
      ...notes,
      ...(stretches.every(({ lastsMs }) => lastsMs === 0) ? [neverNote(place)] : []),
      ...(dated?.flatMap(({ notes: ofYear }) => ofYear) ?? []),
      ...(context.exclusions.length > 0 && stretches.some(isOverMidnight) ? [midnightNote(path)] : []),
    ],
    problems: found === undefined ? [{ path, message, remedy }] : [],
  };
}

function isOfFiveFields(schedule: string): boolean {
  const read = readCronHpaSchedule(schedule);
  return read.ok && read.hasFiveFields;
}

function crontabRemedy(schedule: string): string {
  return `use ${JSON.stringify(`0 ${schedule.trim()}`)} if you meant crontab syntax`;
}

/** Where a schedule of five fields differs from the job. */
function runNotes(
  { schedule, isSingle }: Job,
  { second, isDate }: { readonly second: number; readonly isDate: boolean },
  path: string,
): readonly Remark[] {
  const isOffset = `is due ${second} seconds after the minute; the schedule starts at the minute`;
  const isOnce = "runs once, but the schedule runs every time";
  return [
    ...(isOfFiveFields(schedule)
      ? [
          {
            path: `${path}.schedule`,
            value: schedule,
            message:
              "has five fields and is converted as the controller reads it: the first field is the second",
            remedy: crontabRemedy(schedule),
          },
        ]
      : []),
    ...(second === 0
      ? []
      : [
          {
            path: `${path}.schedule`,
            value: schedule,
            message: isOffset,
            remedy: "nothing to do",
          },
        ]),
    ...(isSingle && !isDate ? [{ path, message: isOnce, remedy: "remove the schedule after it ends" }] : []),
  ];
}

function midnightNote(path: string): Remark {
  const message =
    "lasts past midnight: an excluded day ends it at once, while the job would not have run that day";
  return { path, message, remedy: "check that the excluded days are right" };
}

function neverNote({ path, stretches, jobs }: JobPlace): Remark {
  const { name, targetSize } = jobs[stretches[0]?.endedBy ?? 0] ?? { name: "", targetSize: 0 };
  const message = `is left out: it is always due at the same time as ${name}, which comes after it and sets ${targetSize}`;
  return { path, message, remedy: "move one of them if the other size is meant" };
}

/** A date comes round every year, and what was meant is the time that it is now, or else the next one. */
function onlyOnce(
  entry: ScheduleSpec,
  { schedule }: Job,
  { path, stretches, context: { zone, nowMs } }: JobPlace,
): { readonly entry: ScheduleSpec; readonly notes: readonly Remark[] } {
  const bounds = { minReplicas: 1, maxReplicas: 2 ** 31 - 1 };
  const { schedules } = readSchedules([entry], { zone, bounds });
  const end = upcomingTransitions(schedules, nowMs, 2).find(({ ends }) => ends.length > 0);
  const offset = zone(entry.timeZone);
  if (end === undefined || offset === undefined) return { entry, notes: [] };
  const endMs = end.atMs + offset(end.atMs);
  const day = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);
  const exclusions = [...(entry.exclusions ?? []), { from: day(endMs + 86_400_000), to: "2099-12-31" }];
  const starts = day(endMs - (stretches[0]?.lastsMs ?? 0));
  const message = `is converted to ${starts}: the controller doesn't read the year`;
  const remedy = "remove the job if it is over, or change the exclusions of its schedule";
  const isOther = !schedule.includes(starts.slice(0, 4));
  return {
    entry: { ...entry, exclusions },
    notes: isOther ? [{ path: `${path}.schedule`, value: schedule, message, remedy }] : [],
  };
}

function isOverMidnight({ atMs, lastsMs }: Stretch): boolean {
  return Math.floor(atMs / 86_400_000) !== Math.floor((atMs + lastsMs - 1000) / 86_400_000);
}

function jobProblems({ schedule, plan }: Job, index: number): readonly Remark[] {
  const path = `spec.jobs[${index}]`;
  if (!plan.ok)
    return [{ path, message: `cannot run: ${plan.message}`, remedy: `run "plimsoll cronhpa lint"` }];
  const standard = standardCron(schedule);
  if (standard.ok) return [];
  const remedy = isOfFiveFields(schedule)
    ? crontabRemedy(schedule)
    : "write the schedule by hand, or keep the CronHorizontalPodAutoscaler";
  return [{ path: `${path}.schedule`, value: schedule, message: standard.message, remedy }];
}

function entries(
  job: TimelineJob,
  start: readonly string[],
  { stretches, jobs, context }: JobPlace,
): readonly ScheduleSpec[] | undefined {
  const rest = {
    ...context.imposed(job.targetSize),
    ...(context.exclusions.length === 0 ? {} : { exclusions: context.exclusions }),
  };
  const entry = (name: string, fields: readonly string[], end: Pick<ScheduleSpec, "end" | "duration">) => ({
    name,
    timeZone: context.timeZone,
    start: fields.join(" "),
    ...end,
    ...rest,
  });
  const [first] = stretches;
  if (first === undefined) return undefined;
  // At the same instant the later job of the list wins.
  if (stretches.every(({ lastsMs }) => lastsMs === 0)) return [];
  const ender = jobs[first.endedBy];
  const end = ender === undefined ? undefined : standardCron(ender.schedule);
  if (end?.ok === true && stretches.every(({ endedBy, lastsMs }) => endedBy === first.endedBy && lastsMs > 0))
    return [entry(job.name, start, { end: end.fields.join(" ") })];
  if (stretches.every(({ lastsMs }) => lastsMs === first.lastsMs))
    return [entry(job.name, start, { duration: durationText(first.lastsMs) })];
  const parsed = parseCron(job.schedule, "cronhpa");
  const lengths = lengthsByWeekday(stretches);
  if (parsed?.kind !== "fields" || lengths === undefined || !isWeekly(parsed)) return undefined;
  const distinct = [...new Set(lengths.values())].filter((lastsMs) => lastsMs > 0);
  return distinct.map((lastsMs, index) => {
    const days = [...lengths].filter(([, length]) => length === lastsMs).map(([day]) => day);
    const weekdays = days.sort((one, other) => one - other).join(",");
    const name = index === 0 ? job.name : `${job.name}-${index + 1}`;
    return entry(name, [...start.slice(0, 4), weekdays], { duration: durationText(lastsMs) });
  });
}
