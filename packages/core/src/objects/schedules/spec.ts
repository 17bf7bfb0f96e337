/** One entry of `spec.schedules`, as it is written. */
export interface ScheduleSpec {
  readonly name: string;
  /** IANA name, such as "Europe/Berlin"; start, end and exclusions are times and days there. */
  readonly timeZone: string;
  /** Five fields of cron: minute, hour, day of month, month, day of week. */
  readonly start: string;
  /** Five fields of cron; either this or `duration`. */
  readonly end?: string | undefined;
  /** Go duration, such as "8h30m", of time that really passes. */
  readonly duration?: string | undefined;
  /** A floor. */
  readonly minReplicas?: number | undefined;
  /** A ceiling. */
  readonly maxReplicas?: number | undefined;
  /** A fixed count: floor and ceiling in one. */
  readonly replicas?: number | undefined;
  /** The floor is reached in steps. */
  readonly ramp?: ScheduleRamp | undefined;
  /** "Ceiling": this entry's ceiling holds against the floors of others. "Floor" is the default. */
  readonly precedence?: SchedulePrecedence | undefined;
  /** Times at which the entry imposes nothing. */
  readonly exclusions?: readonly ScheduleExclusion[] | undefined;
}

/** What counts where a floor and a ceiling contradict each other. */
export type SchedulePrecedence = "Floor" | "Ceiling";

/** A floor that rises in steps. */
export interface ScheduleRamp {
  /** Go duration from the first step to the last. */
  readonly over: string;
  /** At least 2; 5 when absent. */
  readonly steps?: number | undefined;
}

/** Exactly one of: `date`, `from` with `to`, `weekdays`, `calendar`, `calendarName`. */
export interface ScheduleExclusion {
  /** "2026-12-25". */
  readonly date?: string | undefined;
  /** First day of a range. */
  readonly from?: string | undefined;
  /** Its last day. */
  readonly to?: string | undefined;
  /** Such as "SAT" or "Saturday". */
  readonly weekdays?: readonly string[] | undefined;
  /** iCalendar text; its events are excluded. */
  readonly calendar?: string | undefined;
  /** An iCalendar file that the process has been given. */
  readonly calendarName?: string | undefined;
}

/** What an iCalendar has to say: whole days in the entry's zone, and spans of time. */
export interface ScheduleCalendar {
  readonly days: readonly { readonly from: string; readonly to: string }[];
  readonly spans: readonly { readonly fromMs: number; readonly toMs: number }[];
  /** Why it was not followed. It excludes nothing then, and the entry counts. */
  readonly refused?: string;
}

/** Something wrong with an entry, which stops that entry and no other. */
export interface ScheduleProblem {
  /** Position in the list. */
  readonly index: number;
  /** Of the entry; may be empty. */
  readonly name: string;
  /** Within the list, such as "[2].timeZone". */
  readonly path: string;
  readonly value?: unknown;
  readonly message: string;
  readonly remedy: string;
}
