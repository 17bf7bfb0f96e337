// Reads cron triggers, which are floors between two times.
import { parseCron, zoneOffset } from "@plimsoll/core/schedules";
import type { Findings } from "../findings.ts";
import type { FieldReader } from "../values.ts";
import { noteUnknown } from "./read-resource.ts";
import type { CronTrigger } from "./trigger.ts";

const metadataFields = ["timezone", "start", "end", "desiredReplicas"];

export function readCron(trigger: FieldReader, index: number, findings: Findings): CronTrigger | undefined {
  const metadata = trigger.inner("metadata");
  noteUnknown(metadata, metadataFields, "a cron trigger", findings);
  const timeZone = metadata.requiredText("timezone");
  const start = readTime(metadata, "start", findings);
  const end = readTime(metadata, "end", findings);
  const replicas = readReplicas(metadata, findings);
  const isZone = timeZone === undefined || isKnownZone(metadata, timeZone, findings);
  noteType(trigger, findings);
  if (timeZone === undefined || start === undefined || end === undefined || replicas === undefined)
    return undefined;
  if (start === end) {
    findings.problem({
      path: metadata.at("end"),
      value: end,
      message: "is the same as start, which KEDA rejects",
      remedy: "write another end",
    });
    return undefined;
  }
  const name = trigger.text("name") ?? "";
  return isZone ? { kind: "cron", index, name, timeZone, start, end, replicas } : undefined;
}

function isKnownZone(metadata: FieldReader, timeZone: string, findings: Findings): boolean {
  if (zoneOffset(timeZone) !== undefined) return true;
  findings.problem({
    path: metadata.at("timezone"),
    value: timeZone,
    message: "is not a time zone",
    remedy: 'use a name of the IANA list, such as "Europe/Berlin"',
  });
  return false;
}

function readTime(metadata: FieldReader, field: string, findings: Findings): string | undefined {
  const given = metadata.requiredText(field);
  if (given === undefined) return undefined;
  const schedule = standardFields(given);
  if (schedule !== undefined && parseCron(schedule, "standard") !== undefined) return schedule;
  const hasZone = /^(?:CRON_)?TZ=/.test(given.trim());
  findings.problem({
    path: metadata.at(field),
    value: given,
    message: hasZone ? "has its own time zone" : "is not a cron schedule of five fields",
    remedy: hasZone ? "set the zone in timezone, for start and end" : "correct it",
  });
  return undefined;
}

/** Positions of the days of the month and of the week. */
const dayFields: ReadonlyMap<number, string> = new Map([
  [2, "1-31"],
  [4, "0-6"],
]);

/**
 * The fields as they are read here. KEDA's parser leaves out empty items of a list, and a star with a step is no star to
 * it: beside a restricted day of the week, every second day of the month is then one of two ways to be due.
 */
function standardFields(text: string): string | undefined {
  if (text.length > 256) return undefined;
  const fields = text.trim().split(/\s+/);
  return fields
    .map((field, position) =>
      field
        .split(",")
        .filter((item) => item !== "")
        .map((item) => withoutStar(item, dayFields.get(position)))
        .join(","),
    )
    .join(" ");
}

function withoutStar(item: string, range: string | undefined): string {
  const [, step] = /^[*?]\/(\d+)$/.exec(item) ?? [];
  return range === undefined || step === undefined || Number(step) === 1 ? item : `${range}/${step}`;
}

function readReplicas(metadata: FieldReader, findings: Findings): number | undefined {
  const given = metadata.requiredText("desiredReplicas");
  if (given === undefined) return undefined;
  const found = /^\+?\d{1,10}$/.test(given.trim()) ? Number(given) : 0;
  if (found >= 1 && found < 2 ** 31) return found;
  findings.problem({
    path: metadata.at("desiredReplicas"),
    value: given,
    message: "is not a whole number of at least 1",
    remedy: "correct it; for 0 replicas outside of a time, set the times with replicas",
  });
  return undefined;
}

/** A cron trigger gives its replicas as a metric with the target 1. */
function noteType(trigger: FieldReader, findings: Findings): void {
  const type = trigger.text("metricType");
  if (type === undefined || type === "AverageValue") return;
  findings.note({
    path: trigger.at("metricType"),
    value: type,
    message:
      "is left out: with Value, KEDA multiplies the current replicas by desiredReplicas again and again",
    remedy: "nothing to do: desiredReplicas is a floor here",
  });
}
