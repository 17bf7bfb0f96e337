// Ages and times in findings.
import { formatInstant } from "@plimsoll/core";

/** As kubectl prints ages: "31s", "22m", "3h", "5d". */
export function printAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}

/** Hours and minutes in UTC: "10:02". */
export function printClock(ms: number): string {
  return formatInstant(ms).slice(11, 16);
}

/** "10:02:31". */
export function printSeconds(ms: number): string {
  return formatInstant(ms).slice(11, 19);
}
