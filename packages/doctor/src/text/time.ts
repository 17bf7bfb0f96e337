// Ages and times in findings.
import { formatInstant } from "@plimsoll/core";

/** Hours and minutes in UTC: "10:02". */
export function printClock(ms: number): string {
  return formatInstant(ms).slice(11, 16);
}

/** "10:02:31". */
export function printSeconds(ms: number): string {
  return formatInstant(ms).slice(11, 19);
}
