import { type ReplicaBounds, readSchedules, type ScheduleSpec, type SchedulesRead } from "@plimsoll/core";
import { createZones } from "../zone-offset.ts";
import { calendarReader } from "./calendar.ts";
import type { CalendarFiles } from "./calendar-files.ts";
import { calendarSpan } from "./calendar-span.ts";

/** Reads the schedules of objects; what would be read the same is not read again. */
export interface ScheduleReader {
  read(
    key: string,
    specs: readonly ScheduleSpec[],
    o: { readonly bounds: ReplicaBounds; readonly nowMs: number },
  ): SchedulesRead;
  drop(key: string): void;
}

interface Known {
  readonly specs: readonly ScheduleSpec[];
  /** All that the reading depends on, as text. */
  readonly text: string;
  /** Bounds, and versions and years of the calendars. */
  readonly context: string;
  readonly read: SchedulesRead;
}

export function createScheduleReader(calendars: CalendarFiles): ScheduleReader {
  const entries = new Map<string, Known>();
  const zone = createZones();
  return {
    read(key, specs, { bounds, nowMs }) {
      const known = entries.get(key);
      const span = calendarSpan(nowMs);
      const context = JSON.stringify([bounds, span.fromMs, versionsOf(specs)]);
      if (known?.specs === specs && known.context === context) return known.read;
      const text = JSON.stringify([specs, context]);
      const calendar = calendarReader({ ...span, zone, named: calendars.named });
      const read = known?.text === text ? known.read : readSchedules(specs, { zone, bounds, calendar });
      entries.set(key, { specs, text, context, read });
      return read;
    },
    drop: (key) => void entries.delete(key),
  };

  function versionsOf(specs: readonly ScheduleSpec[]): readonly string[] {
    const named = specs.flatMap((spec) => (Array.isArray(spec?.exclusions) ? spec.exclusions : []));
    return named.flatMap((exclusion) =>
      typeof exclusion?.calendarName === "string" ? [calendars.version(exclusion.calendarName)] : [],
    );
  }
}
