// The jobs of a CronHorizontalPodAutoscaler as schedules, for an object of their own or for that of an HPA.
import { compileCronHpa, isExcludedDay } from "@plimsoll/core/cronhpa";
import { fieldsOf, type Remark } from "@plimsoll/core/internal/values";
import {
  parseCron,
  readSchedules,
  type ScheduleExclusion,
  type ScheduleSpec,
  zoneOffset,
} from "@plimsoll/core/schedules";
import { type CronHpaRead, readCronHpa } from "../../cronhpa/source.ts";
import type { SourceObject } from "../../manifests/source.ts";
import type { ConvertSettings } from "../converter.ts";
import { entriesOf } from "./entries.ts";
import { daysNamed, isWeekly } from "./timeline.ts";

export type ReadCronHpa = Extract<CronHpaRead, { ok: true }>;

/** Of one object. */
export type CronSchedules =
  | {
      readonly ok: true;
      readonly read: ReadCronHpa;
      readonly schedules: readonly ScheduleSpec[];
      /** The smallest size, which holds outside of the schedules. */
      readonly base: number;
      readonly sizes: readonly number[];
      readonly notes: readonly Remark[];
    }
  | { readonly ok: false; readonly problems: readonly Remark[] };

/** @param imposed What an entry says of a size. */
export function cronSchedules(
  source: SourceObject,
  settings: ConvertSettings,
  imposed: (size: number) => Pick<ScheduleSpec, "minReplicas" | "replicas">,
): CronSchedules {
  const read = readCronHpa(source);
  if (!read.ok) return { ok: false, problems: read.findings };
  const compiled = compileCronHpa(read.object, { timeZone: settings.timeZone, bounds: "Move" }, zoneOffset);
  const excluded = exclusionsOf(read.object.spec.excludeDates, settings.nowMs);
  const entries = entriesOf(compiled, {
    timeZone: compiled.timeZone,
    zone: zoneOffset,
    nowMs: settings.nowMs,
    exclusions: excluded.exclusions,
    imposed,
  });
  const { problems: unusable } = readSchedules(entries.schedules, {
    zone: zoneOffset,
    bounds: { minReplicas: 1, maxReplicas: 2 ** 31 - 1 },
  });
  const problems = [
    ...excluded.problems,
    ...entries.problems,
    ...unusable.map((problem) => ({
      path: "spec.jobs",
      message: `become schedules${problem.path}, which ${problem.message}`,
      remedy: "write the schedules by hand",
    })),
  ];
  if (problems.length > 0) return { ok: false, problems };
  return {
    ok: true,
    read,
    schedules: entries.schedules,
    base: entries.base,
    sizes: compiled.jobs.map(({ targetSize }) => targetSize),
    notes: [
      ...read.findings,
      ...excluded.notes,
      ...entries.notes,
      ...(settings.isZoneGiven ? [] : zoneNotes(source, compiled.timeZone)),
    ],
  };
}

function zoneNotes({ value }: SourceObject, timeZone: string): readonly Remark[] {
  const annotations = fieldsOf(fieldsOf(value["metadata"])["annotations"]);
  if (annotations["autoscaling.plimsoll.dev/time-zone"] !== undefined) return [];
  const message = `are in ${timeZone}`;
  return [{ path: "spec.jobs", message, remedy: "set --time-zone to the controller's time zone" }];
}

const weekdayNames = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const maxDates = 100;

/** Entries of excludeDates as weekdays, or as the dates that they name in the years to come. */
function exclusionsOf(
  excludeDates: readonly string[],
  nowMs: number,
): {
  readonly exclusions: readonly ScheduleExclusion[];
  readonly notes: readonly Remark[];
  readonly problems: readonly Remark[];
} {
  const exclusions: ScheduleExclusion[] = [];
  const notes: Remark[] = [];
  const problems: Remark[] = [];
  for (const [index, value] of excludeDates.entries()) {
    const at = { path: `spec.excludeDates[${index}]`, value };
    const rule = parseCron(value, "cronhpa");
    if (rule?.kind !== "fields") {
      notes.push({ ...at, message: "is not a day and is left out", remedy: "nothing to do" });
      continue;
    }
    if (isWeekly(rule)) {
      const weekdays = weekdayNames.filter((_, day) => rule.dayOfWeek.values.has(day));
      if (weekdays.length < 7) exclusions.push({ weekdays });
      else problems.push({ ...at, message: "excludes every day", remedy: "remove the object instead" });
      continue;
    }
    const days = daysNamed((localMs) => isExcludedDay(rule, localMs), nowMs);
    if (days.length > maxDates) {
      problems.push({
        ...at,
        message: "has too many days to list",
        remedy: "write the exclusions by hand",
      });
      continue;
    }
    exclusions.push(...days.map((date) => ({ date })));
    const until = new Date(nowMs + 3 * 366 * 86_400_000).getUTCFullYear();
    const message = `is converted to its ${days.length} dates in the next three years`;
    notes.push({ ...at, message, remedy: `add later dates from ${until}, or use an iCalendar` });
  }
  return { exclusions, notes, problems };
}
