// Reads a ScalingSchedule or ClusterScalingSchedule of kube-metrics-adapter.
import { instantMs } from "@plimsoll/core";
import { dayMs } from "@plimsoll/core/internal/values";
import { type ScheduleSpec, zoneOffset } from "@plimsoll/core/schedules";
import type { SourceObject } from "../../manifests/source.ts";
import type { ConvertSettings } from "../converter.ts";
import { durationText } from "../cronhpa/timeline.ts";
import { createFindings, type Findings } from "../findings.ts";
import { type FieldReader, fieldReader } from "../values.ts";

/** When a value holds; the floor that it becomes depends on the HPA that reads it. */
export interface ScheduledValue {
  readonly when: Omit<ScheduleSpec, "name">;
  readonly value: number;
}

export interface ScalingScheduleRead {
  readonly values: readonly ScheduledValue[];
  readonly findings: Findings;
}

const maxSchedules = 50;
const defaultZone = "Europe/Berlin";
const minutesOfDay = 1440;

type Settings = Pick<ConvertSettings, "timeZone" | "isZoneGiven" | "nowMs">;

export function readScalingSchedule(source: SourceObject, settings: Settings): ScalingScheduleRead {
  const findings = createFindings();
  const spec = fieldReader(source.value["spec"], "spec", findings);
  spec.onlyKnown(["scalingWindowDurationMinutes", "schedules"], `a ${source.kind}`);
  noteWindow(spec, findings);
  const list = spec.list("schedules");
  if (list.length > maxSchedules) {
    const message = `has ${list.length} entries, but an autoscaler can have at most ${maxSchedules}`;
    findings.problem({ path: spec.at("schedules"), message, remedy: "split the object" });
    return { values: [], findings };
  }
  const values = list.flatMap((item, index) => {
    const entry = fieldReader(item, `${spec.at("schedules")}[${index}]`, findings);
    return readEntry(entry, settings, findings) ?? [];
  });
  return { values, findings };
}

/** The value rises before the start and falls after the end; its replicas begin at zero, those of a ramp at the minimum. */
function noteWindow(spec: FieldReader, findings: Findings): void {
  const minutes = spec.whole("scalingWindowDurationMinutes", 0);
  if (minutes === 0) return;
  const over =
    minutes === undefined ? "10 min, or --scaling-schedule-default-scaling-window," : `${minutes} min`;
  findings.note({
    path: spec.at("scalingWindowDurationMinutes"),
    ...(minutes === undefined ? {} : { value: minutes }),
    message: `is left out: kube-metrics-adapter raises the value over ${over} before each start, and lowers it after each end`,
    remedy: `begin the entries earlier, with ramp: {over: ${minutes ?? 10}m}, to go up in steps, and give behavior.scaleDown policies to go down in steps`,
  });
}

const entryFields = ["type", "period", "date", "endDate", "durationMinutes", "value"];

function readEntry(entry: FieldReader, settings: Settings, findings: Findings): ScheduledValue | undefined {
  entry.onlyKnown(entryFields, "a schedule");
  const type = entry.requiredText("type");
  const value = entry.whole("value", 0);
  const minutes = entry.whole("durationMinutes", 0) ?? 0;
  if (value === undefined) {
    if (entry.value["value"] === undefined)
      findings.problem({ path: entry.at("value"), message: "is missing", remedy: "write it" });
    return undefined;
  }
  if (type === "Repeating") {
    const when = readRepeating(entry.inner("period"), { minutes, settings }, findings);
    return when === undefined ? undefined : { when, value };
  }
  if (type === "OneTime") {
    const when = readOneTime(entry, { minutes, nowMs: settings.nowMs }, findings);
    return when === undefined ? undefined : { when, value };
  }
  if (type !== undefined) {
    const message = "must be OneTime or Repeating";
    findings.problem({ path: entry.at("type"), value: type, message, remedy: "correct it" });
  }
  return undefined;
}

const dayNames = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

function readRepeating(
  period: FieldReader,
  { minutes, settings }: { readonly minutes: number; readonly settings: Settings },
  findings: Findings,
): ScheduledValue["when"] | undefined {
  period.onlyKnown(["startTime", "endTime", "days", "timezone"], "a period");
  const start = readTime(period, "startTime", findings);
  const isOpen = (period.value["endTime"] ?? "") === "";
  const end = isOpen ? start : readTime(period, "endTime", findings);
  const days = period.list("days");
  const unknown = days.find((day) => !dayNames.includes(String(day)));
  if (unknown !== undefined || days.length === 0) {
    const message = days.length === 0 ? "has no days" : "has a word that is not a day";
    const value = unknown === undefined ? {} : { value: unknown };
    findings.problem({ path: period.at("days"), ...value, message, remedy: `use ${dayNames.join(", ")}` });
    return undefined;
  }
  const timeZone = readZone(period, settings, findings);
  if (start === undefined || end === undefined || timeZone === undefined) return undefined;
  const last = Math.max(end, start + minutes);
  if (last <= start) {
    noteEmpty(period.path, findings);
    return undefined;
  }
  const weekdays = dayNames.filter((day) => days.includes(day)).map((day) => day.toUpperCase());
  const from = { timeZone, start: cronAt(start, weekdays.join(",")) };
  if (last >= minutesOfDay) {
    if (last > minutesOfDay) noteMidnight(period.path, findings);
    return { ...from, end: "0 0 * * *" };
  }
  // A duration is elapsed time, an end is a time of the day.
  return last === end
    ? { ...from, end: cronAt(end, weekdays.join(",")) }
    : { ...from, duration: durationText(minutes * 60_000) };
}

function cronAt(minuteOfDay: number, weekdays: string): string {
  return `${minuteOfDay % 60} ${Math.floor(minuteOfDay / 60)} * * ${weekdays}`;
}

function noteEmpty(path: string, findings: Findings): void {
  const message = "ends at its start or earlier, and is left out";
  findings.note({ path, message, remedy: "set endTime or durationMinutes" });
}

/** On the next day kube-metrics-adapter looks for that day's start. */
function noteMidnight(path: string, findings: Findings): void {
  findings.note({
    path,
    message: "would last past midnight, but kube-metrics-adapter ends it there, and so does the schedule",
    remedy: "set a later end in the schedule if it has to last longer",
  });
}

/** Minutes since midnight. */
function readTime(period: FieldReader, field: string, findings: Findings): number | undefined {
  const text = period.requiredText(field);
  if (text === undefined) return undefined;
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours !== undefined && minutes !== undefined) return Number(hours) * 60 + Number(minutes);
  findings.problem({
    path: period.at(field),
    value: text,
    message: "is not a time HH:MM",
    remedy: "correct it",
  });
  return undefined;
}

function readZone(period: FieldReader, settings: Settings, findings: Findings): string | undefined {
  const given = period.text("timezone");
  if (given !== undefined && given !== "" && zoneOffset(given) !== undefined) return given;
  const zone = settings.isZoneGiven ? settings.timeZone : defaultZone;
  if (!settings.isZoneGiven || given !== undefined)
    findings.note({
      path: period.at("timezone"),
      ...(given === undefined ? {} : { value: given }),
      message: `is ${given === undefined || given === "" ? "not there" : "no time zone"}, and is written as ${zone}`,
      remedy: "set --time-zone to kube-metrics-adapter's --scaling-schedule-default-time-zone",
    });
  return zone;
}

function readOneTime(
  entry: FieldReader,
  { minutes, nowMs }: { readonly minutes: number; readonly nowMs: number },
  findings: Findings,
): ScheduledValue["when"] | undefined {
  const startMs = readDate(entry, "date", findings);
  const endMs = (entry.value["endDate"] ?? "") === "" ? startMs : readDate(entry, "endDate", findings);
  if (startMs === undefined || endMs === undefined) return undefined;
  const lastMs = Math.max(endMs, startMs + minutes * 60_000);
  const path = entry.path;
  if (lastMs <= startMs) {
    noteEmpty(path, findings);
    return undefined;
  }
  if (lastMs <= nowMs) {
    findings.note({ path, message: "is over, and is left out", remedy: "nothing to do" });
    return undefined;
  }
  if (lastMs - startMs > 360 * dayMs) {
    const message = "lasts for more than 360 days";
    findings.problem({ path, message, remedy: "raise minReplicas instead" });
    return undefined;
  }
  const date = new Date(startMs);
  if (date.getUTCSeconds() !== 0) {
    const message = "begins within a minute; the schedule begins at the start of that minute";
    findings.note({
      path: entry.at("date"),
      value: entry.value["date"],
      message,
      remedy: "nothing to do",
    });
  }
  const begins = startMs - (startMs % 60_000);
  const start = `${date.getUTCMinutes()} ${date.getUTCHours()} ${date.getUTCDate()} ${date.getUTCMonth() + 1} *`;
  return {
    timeZone: "UTC",
    start,
    duration: durationText(lastMs - begins),
    exclusions: otherYears({ startMs, lastMs, nowMs }),
  };
}

/** A date comes round every year, and is meant once. */
function otherYears({ startMs, lastMs, nowMs }: Readonly<Record<"startMs" | "lastMs" | "nowMs", number>>) {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);
  const after = { from: day(lastMs + dayMs), to: "2099-12-31" };
  const isFar = startMs - nowMs > 360 * dayMs;
  return isFar ? [{ from: day(nowMs - 366 * dayMs), to: day(startMs - dayMs) }, after] : [after];
}

function readDate(entry: FieldReader, field: string, findings: Findings): number | undefined {
  // YAML reads a date without quotation marks as one.
  const given = entry.value[field];
  const text = given instanceof Date ? given.toISOString() : entry.requiredText(field);
  if (text === undefined) return undefined;
  const found = text.length > 64 ? undefined : instantMs(text);
  if (found !== undefined) return found;
  const message = "is not a date of RFC 3339";
  findings.problem({ path: entry.at(field), value: text, message, remedy: "use 2026-11-27T08:00:00Z" });
  return undefined;
}
