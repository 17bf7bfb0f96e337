import type { SchedulePrecedence } from "../../objects/schedules/spec.ts";
import type { CronFields } from "../../values/cron/schedule.ts";
import type { ZoneOffset } from "../../values/cron/zone.ts";
import type { Exclusions } from "./exclusions.ts";

/** An entry that has been read: what `scheduleState` takes. Made by `readSchedules`. */
export interface Schedule {
  readonly name: string;
  /** Position in the list it was read from. */
  readonly index: number;
  readonly timeZone: string;
  readonly offset: ZoneOffset;
  readonly start: CronFields;
  readonly end: ScheduleEnd;
  readonly exclusions: Exclusions;
  readonly floor: number | undefined;
  readonly ceiling: number | undefined;
  readonly precedence: SchedulePrecedence;
  readonly ramp: Ramp | undefined;
}

/** When an entry ends: by cron, or after a duration. */
export type ScheduleEnd =
  | { readonly kind: "cron"; readonly schedule: CronFields }
  | {
      readonly kind: "duration";
      readonly durationMs: number;
      /** It is at least as long as the longest wait between two starts of one day. */
      readonly joinsDay: boolean;
      /** The same within one hour. */
      readonly joinsHour: boolean;
    };

/** The first of the steps is taken at the start, the last when `overMs` have passed. */
export interface Ramp {
  readonly overMs: number;
  readonly steps: number;
  /** Where the floor comes from. */
  readonly from: number;
}
