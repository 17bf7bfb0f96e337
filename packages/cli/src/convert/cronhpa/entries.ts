// Makes schedules of the jobs of a CronHorizontalPodAutoscaler.
import type { CompiledCronHpa } from "@plimsoll/core/cronhpa";
import {
  parseCron,
  readSchedules,
  type ScheduleExclusion,
  type ScheduleSpec,
  upcomingTransitions,
  type ZoneOffset,
} from "@plimsoll/core/schedules";
import type { Finding } from "../source.ts";
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
  readonly notes: readonly Finding[];
  readonly problems: readonly Finding[];
}

interface Context {
  readonly timeZone: string;
  readonly exclusions: readonly ScheduleExclusion[];
  readonly zone: (timeZone: string) => ZoneOffset | undefined;
  readonly nowMs: number;
  /** A floor for an HPA, a fixed count for a workload. */
  readonly imposes: "minReplicas" | "replicas";
}

/**
 * Jobs as stretches of time: each begins at its own time and lasts until the next job that sets another size. The
 * smallest size is what holds outside of them.
 */
export function entriesOf({ jobs }: CompiledCronHpa, context: Context): EntriesRead {
  const base = Math.min(...jobs.map(({ targetSize }) => targetSize));
  const problems = jobs.flatMap((job, index) => jobProblems(job, index));
  const read = { schedules: [], base, notes: [], problems };
  if (problems.length > 0) return read;
  if (jobs.every(({ targetSize }) => targetSize === base)) {
    const remedy = "add the time at which it is to end, as a job with the size outside of it";
    return { ...read, problems: [{ path: "spec.jobs", message: "never goes back to another size", remedy }] };
  }
  const stretches = stretchesOf(jobs);
  if (stretches === undefined) {
    const message = "is due too often for stretches of time to be made of it";
    return { ...read, problems: [{ path: "spec.jobs", message, remedy: "write the schedules by hand" }] };
  }
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
  const isBase = job.targetSize === base && (base > 0 || context.imposes === "minReplicas");
  if (isBase) return { schedules: [], notes, problems: [] };
  const found = entries(job, standard.fields, place);
  const message = "ends at times that follow no rule of weekdays";
  const remedy = "write the schedule by hand, with its start and end";
  return {
    schedules: (found ?? []).map((entry) => (standard.isDate ? onlyOnce(entry, context) : entry)),
    notes: [
      ...notes,
      ...(context.exclusions.length > 0 && stretches.some(isOverMidnight) ? [midnightNote(path)] : []),
    ],
    problems: found === undefined ? [{ path, message, remedy }] : [],
  };
}

/** Where a schedule of five fields differs from the job. */
function runNotes(
  { schedule, isSingle }: Job,
  { second, isDate }: { readonly second: number; readonly isDate: boolean },
  path: string,
): readonly Finding[] {
  const isOffset = `is due ${second} seconds after the minute, and the schedule at the minute`;
  const isOnce = "runs once, and the schedule every time";
  return [
    ...(second === 0
      ? []
      : [
          {
            path: `${path}.schedule`,
            value: schedule,
            message: isOffset,
            remedy: "nothing is to be done",
          },
        ]),
    ...(isSingle && !isDate
      ? [{ path, message: isOnce, remedy: "remove the schedule when it is over" }]
      : []),
  ];
}

function midnightNote(path: string): Finding {
  const message =
    "lasts over midnight: an excluded day ends it at once, where the job would not have run that day";
  return { path, message, remedy: "see whether the days that are excluded are the right ones" };
}

/** A date comes round every year, and what was meant is the next time that it does. */
function onlyOnce(entry: ScheduleSpec, { zone, nowMs }: Context): ScheduleSpec {
  const { schedules } = readSchedules([entry], {
    zone,
    bounds: { minReplicas: 1, maxReplicas: 2 ** 31 - 1 },
  });
  const [next] = upcomingTransitions(schedules, nowMs, 2).slice(-1);
  const offset = zone(entry.timeZone);
  if (next === undefined || offset === undefined) return entry;
  const from = new Date(next.atMs + offset(next.atMs) + 86_400_000).toISOString().slice(0, 10);
  return { ...entry, exclusions: [...(entry.exclusions ?? []), { from, to: "2099-12-31" }] };
}

function isOverMidnight({ atMs, lastsMs }: Stretch): boolean {
  return Math.floor(atMs / 86_400_000) !== Math.floor((atMs + lastsMs - 1000) / 86_400_000);
}

function jobProblems({ schedule, plan }: Job, index: number): readonly Finding[] {
  const path = `spec.jobs[${index}]`;
  if (!plan.ok)
    return [{ path, message: `cannot run: ${plan.message}`, remedy: `see "plimsoll cronhpa lint"` }];
  const standard = standardCron(schedule);
  if (standard.ok) return [];
  const remedy = "write the schedule by hand, or keep the CronHorizontalPodAutoscaler";
  return [{ path: `${path}.schedule`, value: schedule, message: standard.message, remedy }];
}

function entries(
  job: TimelineJob,
  start: readonly string[],
  { stretches, jobs, context }: JobPlace,
): readonly ScheduleSpec[] | undefined {
  const rest = {
    [context.imposes]: job.targetSize,
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
  const ender = jobs[first.endedBy];
  const end = ender === undefined ? undefined : standardCron(ender.schedule);
  if (end?.ok === true && stretches.every(({ endedBy }) => endedBy === first.endedBy))
    return [entry(job.name, start, { end: end.fields.join(" ") })];
  if (stretches.every(({ lastsMs }) => lastsMs === first.lastsMs))
    return [entry(job.name, start, { duration: durationText(first.lastsMs) })];
  const parsed = parseCron(job.schedule, "cronhpa");
  const lengths = lengthsByWeekday(stretches);
  if (parsed?.kind !== "fields" || lengths === undefined || !isWeekly(parsed)) return undefined;
  const distinct = [...new Set(lengths.values())];
  return distinct.map((lastsMs, index) => {
    const days = [...lengths].filter(([, length]) => length === lastsMs).map(([day]) => day);
    const weekdays = days.sort((one, other) => one - other).join(",");
    const name = index === 0 ? job.name : `${job.name}-${index + 1}`;
    return entry(name, [...start.slice(0, 4), weekdays], { duration: durationText(lastsMs) });
  });
}
