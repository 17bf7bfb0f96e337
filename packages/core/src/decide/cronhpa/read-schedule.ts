import { nextFiring } from "../../values/cron/next.ts";
import { type CronSchedule, parseCron } from "../../values/cron/schedule.ts";
import { lengthProblem } from "./limits.ts";

/** A job's schedule as a CronHorizontalPodAutoscaler states it, or why it is none. */
export type CronHpaSchedule =
  | {
      readonly ok: true;
      readonly schedule: CronSchedule;
      /** Written with five fields, as crontab has them, and read with seconds first all the same. */
      readonly hasFiveFields: boolean;
    }
  | {
      readonly ok: false;
      readonly reason: "TooLong" | "NotASchedule" | "NeverOccurs";
      readonly message: string;
    };

/** 2024-01-01; the search covers every leap day from there. */
const someDayMs = 1_704_067_200_000;

/** Reads a schedule with seconds first. One that is never due is refused: it is a mistake. */
export function readCronHpaSchedule(text: string): CronHpaSchedule {
  const tooLong = lengthProblem("schedule", text);
  if (tooLong !== undefined) return { ok: false, reason: "TooLong", message: tooLong };
  const schedule = parseCron(text, "cronhpa");
  const shown = JSON.stringify(text);
  if (schedule === undefined)
    return { ok: false, reason: "NotASchedule", message: `${shown} is not a schedule` };
  if (nextFiring(schedule, someDayMs, () => 0) === undefined)
    return { ok: false, reason: "NeverOccurs", message: `${shown} never occurs` };
  return { ok: true, schedule, hasFiveFields: text.trim().split(/\s+/).length === 5 };
}
