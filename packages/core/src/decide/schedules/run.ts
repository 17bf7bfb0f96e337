// The interval of a schedule around an instant.
import { localAfter } from "../../values/cron/local.ts";
import { instantOfLocal } from "../../values/cron/zone.ts";
import { cronBegin, cronEnd } from "./run-by-cron.ts";
import { durationBegin, durationEnd } from "./run-by-duration.ts";
import type { Run, RunSearch } from "./run-search.ts";
import type { Schedule } from "./schedule.ts";
import type { Work } from "./work.ts";

/** Enough for more than a year, backwards and forwards each. */
const enoughSteps = 700;

/** The run that a start belongs to. */
export function runAround(schedule: Schedule, startLocal: number, search: RunSearch): Run {
  const { work, sinceMs, untilMs } = search;
  const { end } = schedule;
  work.limit = work.spent + enoughSteps;
  const fromMs =
    end.kind === "cron"
      ? cronBegin({ ...schedule, end: end.schedule }, startLocal, search)
      : durationBegin({ ...schedule, end }, startLocal, search);
  work.limit = work.spent + enoughSteps;
  const ahead =
    end.kind === "cron"
      ? cronEnd({ ...schedule, end: end.schedule }, startLocal, search)
      : durationEnd({ ...schedule, end }, startLocal, search);
  const isPast = ahead.toMs >= untilMs;
  return {
    fromMs: fromMs === -Infinity ? fromMs : Math.max(fromMs, sinceMs),
    toMs: isPast ? untilMs : ahead.toMs,
    isCut: ahead.isCut && !isPast,
  };
}

/** When what a start opens is over; infinite where no end was found. */
export function endOf({ end, offset }: Schedule, startLocal: number, work: Work): number {
  if (end.kind === "duration") return instantOfLocal(startLocal, offset) + end.durationMs;
  const local = localAfter(end.schedule, startLocal, work);
  return local === undefined ? Infinity : instantOfLocal(local, offset);
}
