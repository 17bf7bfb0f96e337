// Schedules of the CronHPA dialect in the five fields of standard cron.
import { cronDescriptors } from "@plimsoll/core/schedules";

export type StandardCron =
  | {
      readonly ok: true;
      /** Minute, hour, day of month, month, day of week. */
      readonly fields: readonly string[];
      /** Second within the minute, which a schedule of five fields cannot say. */
      readonly second: number;
      readonly isDate: boolean;
    }
  | { readonly ok: false; readonly message: string };

/** A schedule that begins with seconds, or a descriptor, as five fields. */
export function standardCron(text: string): StandardCron {
  const trimmed = text.trim();
  if (trimmed.startsWith("@every "))
    return { ok: false, message: "is an interval, but a schedule needs a start time" };
  const date = /^@date \d{4}-(\d\d)-(\d\d) (\d\d?):(\d\d):(\d\d)(?:[.,]\d+)?$/.exec(trimmed);
  const [, month, day, hour, minute, second = ""] = date ?? [];
  const line =
    date === null
      ? (cronDescriptors.get(trimmed) ?? trimmed)
      : `${second} ${minute} ${hour} ${day} ${month} *`;
  const fields = line.split(/\s+/).map(plain);
  const [seconds = "", ...rest] = fields;
  if (!/^\d+$/.test(seconds))
    return { ok: false, message: `${fiveFields(rest)}is due in several seconds of a minute` };
  const five = rest.length === 4 ? [...rest, "*"] : rest;
  return { ok: true, fields: five, second: Number(seconds), isDate: date !== null };
}

function fiveFields(rest: readonly string[]): string {
  return rest.length === 4 ? "has five fields, so its first field is read as seconds: it " : "";
}

/** The dialects differ in little: "?" is a star, and a list may have empty items; "05" is 5. */
function plain(field: string): string {
  return field
    .split(",")
    .filter((item) => item !== "")
    .map((item) => item.replace("?", "*").replaceAll(/\b0+(\d)/g, "$1"))
    .join(",");
}
