// Formats instants in a time zone.
import type { ZoneOffset } from "@plimsoll/core/schedules";

/** "2026-11-21 09:00:00" on the clocks of a zone. */
export function localText(atMs: number, offset: ZoneOffset): string {
  return new Date(atMs + offset(atMs)).toISOString().slice(0, 19).replace("T", " ");
}

/** The day of it. */
export function dayText(atMs: number, offset: ZoneOffset): string {
  return localText(atMs, offset).slice(0, 10);
}
