// Reads the schedules of a specification.

import type { ReplicaBounds } from "../../objects/schedules/bounds.ts";
import type { ScheduleProblem, ScheduleSpec } from "../../objects/schedules/spec.ts";
import { localAfter } from "../../values/cron/local.ts";
import { type CronFields, parseCron } from "../../values/cron/schedule.ts";
import { rememberedOffset, type ZoneOffset } from "../../values/cron/zone.ts";
import { parseGoDuration } from "../../values/duration/go-duration.ts";
import { isObject, textOf, withoutNull } from "../../values/fields.ts";
import { type ExclusionsLeft, maxExclusions, type ReadCalendar, readExclusions } from "./read-exclusions.ts";
import { readReplicas } from "./read-replicas.ts";
import { type EntryReader, entryReader } from "./reader.ts";
import type { Schedule, ScheduleEnd } from "./schedule.ts";

/** What `readSchedules` needs beside the entries. */
export interface ReadSchedulesOptions {
  /** The offsets of a zone; undefined for a name that is none. */
  readonly zone: (timeZone: string) => ZoneOffset | undefined;
  /** spec.minReplicas and spec.maxReplicas; ramps begin at the one, floors must not pass the other. */
  readonly bounds: ReplicaBounds;
  /** Reads iCalendar exclusions; without it they are a problem. */
  readonly calendar?: ReadCalendar | undefined;
}

/** The entries that can be used, and the problems of the others. */
export interface SchedulesRead {
  readonly schedules: readonly Schedule[];
  readonly problems: readonly ScheduleProblem[];
}

/** Reads the entries of `spec.schedules`. An entry with a problem is left out; the others are not affected. */
export function readSchedules(specs: readonly ScheduleSpec[], options: ReadSchedulesOptions): SchedulesRead {
  const schedules: Schedule[] = [];
  const problems: ScheduleProblem[] = [];
  const names = new Set<string>();
  const left = { count: maxExclusions };
  for (const [index, given] of specs.entries()) {
    const spec = withoutNull(isObject(given) ? given : ({} as ScheduleSpec));
    const reader = entryReader(index, spec);
    const schedule = readEntry(spec, reader, { ...options, left });
    if (names.has(reader.name))
      reader.problem("name", reader.name, "is already used by an earlier entry", "use a unique name");
    names.add(reader.name);
    if (schedule !== undefined && !reader.isLeftOut) schedules.push({ ...schedule, index });
    problems.push(...reader.problems);
  }
  return { schedules, problems };
}

function readEntry(
  spec: ScheduleSpec,
  reader: EntryReader,
  options: ReadSchedulesOptions & { readonly left: ExclusionsLeft },
): Omit<Schedule, "index"> | undefined {
  const { name, problem } = reader;
  if (name === "") problem("name", undefined, "is missing", "add a name");
  const timeZone = textOf(spec.timeZone);
  const known = timeZone === "" ? undefined : options.zone(timeZone);
  const offset = known && rememberedOffset(known);
  const zoneRemedy = 'use a name of the IANA list, such as "Europe/Berlin"';
  if (offset === undefined) problem("timeZone", spec.timeZone, "is not a time zone", zoneRemedy);
  const start = readCron("start", spec.start, reader);
  const end = readEnd(spec, start, reader);
  const replicas = readReplicas(spec, options.bounds, reader);
  const exclusions = readExclusions(spec.exclusions, { ...options, reader, timeZone });
  if (offset === undefined || start === undefined || end === undefined || exclusions === undefined)
    return undefined;
  const schedule = { name, timeZone, offset, start, end, exclusions, ...replicas };
  checkLength(spec, schedule, reader);
  return schedule;
}

function readEnd(
  spec: ScheduleSpec,
  start: CronFields | undefined,
  reader: EntryReader,
): ScheduleEnd | undefined {
  const { problem } = reader;
  const hasEnd = spec.end !== undefined;
  if (hasEnd === (spec.duration !== undefined)) {
    if (hasEnd) problem("duration", spec.duration, "can't be combined with end", "set one of them");
    else problem("end", undefined, "is missing, and so is duration", "set one of them");
    return undefined;
  }
  if (hasEnd) {
    const schedule = readCron("end", spec.end, reader);
    if (textOf(spec.end).trim() === textOf(spec.start).trim())
      problem("end", spec.end, "is the same as start, so the entry would never end", "use another time");
    return schedule && { kind: "cron", schedule };
  }
  const durationMs = parseGoDuration(textOf(spec.duration));
  if (durationMs === undefined) {
    problem(
      "duration",
      spec.duration,
      "is not a duration",
      'use hours, minutes, and seconds, such as "8h30m"',
    );
  } else if (durationMs < 1000) {
    problem("duration", spec.duration, "ends before it starts", "use at least 1s");
  }
  if (durationMs === undefined || start === undefined) return undefined;
  const joinsHour = maxWaitMs(start, 60) <= durationMs;
  return { kind: "duration", durationMs, joinsDay: maxWaitMs(start, 24 * 60) <= durationMs, joinsHour };
}

/** Between two starts of one day, or of one hour. */
function maxWaitMs({ hour, minute }: CronFields, minutes: number): number {
  let longest = 0;
  let last: number | undefined;
  for (let time = 0; time < minutes; time++) {
    if (minutes > 60 && !hour.values.has(Math.floor(time / 60))) continue;
    if (!minute.values.has(time % 60)) continue;
    longest = Math.max(longest, time - (last ?? time));
    last = time;
  }
  return longest * 60_000;
}

/** 2024-01-01: a leap year lies ahead. */
const someDayMs = 1_704_067_200_000;

function readCron(path: string, text: unknown, { problem }: EntryReader): CronFields | undefined {
  const remedy = 'use minute, hour, day of month, month, and day of week, such as "0 8 * * MON-FRI"';
  const schedule = parseCron(textOf(text), "standard");
  if (schedule?.kind !== "fields") problem(path, text, "is not a schedule of five fields", remedy);
  else if (localAfter(schedule, someDayMs) !== undefined) return schedule;
  else problem(path, text, "never occurs", "use a day that exists in that month");
  return undefined;
}

/** Less than a year, so that an end on the day before the start is found out. */
const maxLengthMs = 350 * 86_400_000;

/** By the calendar of a zone without daylight saving: an end that is so late was meant to come before. */
function checkLength(
  spec: ScheduleSpec,
  { start, end }: Omit<Schedule, "index">,
  { problem, isLeftOut }: EntryReader,
): void {
  const first = localAfter(start, someDayMs);
  if (isLeftOut || first === undefined) return;
  const lengthMs =
    end.kind === "duration" ? end.durationMs : (localAfter(end.schedule, first) ?? Infinity) - first;
  if (lengthMs < maxLengthMs) return;
  const days = Math.floor(lengthMs / 86_400_000);
  if (end.kind === "duration") problem("duration", spec.duration, `is ${days} days`, "use less than a year");
  else problem("end", spec.end, `is ${days} days after the start`, "use an end soon after the start");
}
